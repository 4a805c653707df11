#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace epwise::cuda {

/// A shared library that is opened when it is needed and may be absent. Its functions stay valid as
/// long as it lives.
class Library {
 public:
  /// The first of `names` that opens. `override_variable` (EPWISE_NCCL_LIB) names a file that comes
  /// before them; after the loader's own places come lib folders of CUDA_HOME and of Python's
  /// wheels (nvidia/*/lib below VIRTUAL_ENV or CONDA_PREFIX).
  Library(std::string_view override_variable, const std::vector<std::string>& names);

  bool is_open() const { return handle_ != nullptr; }

  /// "libnccl.so.2 is not here"; empty when it is open.
  const std::string& reason() const { return reason_; }

  /// Sets `function` to the symbol of that name; a null pointer when the library is too old or not
  /// open.
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
