#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace epwise::expr {

/// Interns the dotted names that expressions read ("model.num_layers", "d.DP", "stack.te") as small
/// numbers, so that an evaluation looks values up by index.
class Names {
 public:
  int slot(std::string_view name);        // adds the name when it is new
  int find(std::string_view name) const;  // -1 when absent

  std::string_view name(int slot) const { return names_[static_cast<std::size_t>(slot)]; }

  int size() const { return static_cast<int>(names_.size()); }

 private:
  std::vector<std::string_view> names_;
  std::deque<std::string> owned_;
  std::unordered_map<std::string_view, int> slots_;
};

}  // namespace epwise::expr
