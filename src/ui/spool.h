#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace epwise::report {

/// Takes text piece by piece.
using Out = std::function<void(std::string_view)>;

/// Text of any length: large amounts go to an unnamed temporary file. Falls back to memory if none
/// can be created.
class Spool {
 public:
  explicit Spool(std::size_t in_memory = std::size_t{4} << 20U) : in_memory_(in_memory) {}

  void add(std::string_view text);

  bool empty() const { return tail_.empty() && file_ == nullptr; }

  /// Everything that was added, in order. Throws std::runtime_error if the temporary file cannot be
  /// read back.
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
