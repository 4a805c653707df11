#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lint/facts/target.h"

namespace epwise::suppress {

/// The condition after `while` in a comment: comparisons of a stack component, `gpus` or `hw`,
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

/// `problem` describes an invalid text; empty if it is valid.
Condition parse_condition(std::string_view text, std::string& problem);

/// Nullopt if the target does not provide enough facts; `needs` then names the missing ones.
std::optional<bool> holds(const Condition& condition,
                          const facts::Target& target,
                          std::vector<std::string>& needs);

}  // namespace epwise::suppress
