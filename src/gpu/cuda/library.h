#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace epwise::cuda {

/// A shared library that is loaded on demand and may be absent. Its functions are valid during its
/// lifetime.
class Library {
 public:
  /// The first of `names` that loads. `override_variable` (EPWISE_NCCL_LIB) gives a file that is
  /// tried first; after the loader's search path come the lib directories of CUDA_HOME and of
  /// Python wheels (nvidia/*/lib below VIRTUAL_ENV or CONDA_PREFIX).
  Library(std::string_view override_variable, const std::vector<std::string>& names);

  bool is_open() const { return handle_ != nullptr; }

  /// "libnccl.so.2 is not installed"; empty if it is loaded.
  const std::string& reason() const { return reason_; }

  /// Sets `function` to the symbol of that name; a null pointer if the library is too old or not
  /// loaded.
  template <class Function>
  bool find(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(symbol(name));
    return function != nullptr;
  }

 private:
  struct Closer {
    void operator()(void* handle) const;
  };

  void* symbol(const char* name) const;

  std::unique_ptr<void, Closer> handle_;
  std::string reason_;
};

}  // namespace epwise::cuda
