#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace epwise::report {

/// Takes text piece by piece.
using Out = std::function<void(std::string_view)>;

/// Text that grows to any length: what memory should not hold waits in a temporary file without a
/// name. Where none can be had, memory holds it after all.
class Spool {
 public:
  explicit Spool(std::size_t in_memory = std::size_t{4} << 20U) : in_memory_(in_memory) {}

  void add(std::string_view text);

  bool empty() const { return tail_.empty() && file_ == nullptr; }

  /// Everything that was added, in order. Throws std::runtime_error when the temporary file does
  /// not give back what it was given.
  void give(const Out& out) const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void move_out();

  std::size_t in_memory_;
  bool refused_ = false;
  std::unique_ptr<std::FILE, Close> file_;  // comes before the tail
  std::string tail_;
};

}  // namespace epwise::report
