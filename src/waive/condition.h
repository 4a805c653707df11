#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/target.h"

namespace epwise::waive {

/// What stands behind `while` in a comment: comparisons of a stack component, `gpus` or `hw`,
/// joined by `and`.
///   te < 2.8          gpus <= 64 and hw == h100          deepep == none
struct Condition {
  struct Part {
    std::string name;
    std::string op;  // < <= == != >= >
    std::string value;
  };

  std::vector<Part> parts;
};

/// `problem` says what is wrong with the text; empty otherwise.
Condition parse_condition(std::string_view text, std::string& problem);

/// Nullopt where the target does not say enough; `needs` then names what would settle it.
std::optional<bool> holds(const Condition& condition,
                          const model::Target& target,
                          std::vector<std::string>& needs);

}  // namespace epwise::waive
