#pragma once

#include <optional>
#include <string>
#include <vector>

namespace epwise::os {

/// Other programs used by this one: git, for comparisons with a revision. Tests use a table of
/// answers.
class Programs {
 public:
  virtual ~Programs() = default;

  /// Standard output of a program that ended with 0; nullopt if it failed, does not exist, or takes
  /// longer than 30 seconds. Its standard error is discarded, its standard input is empty.
  virtual std::optional<std::string> output(const std::vector<std::string>& words) const = 0;
};

/// The real implementation, found on the PATH, without a shell.
class ProcessPrograms : public Programs {
 public:
  std::optional<std::string> output(const std::vector<std::string>& words) const override;
};

}  // namespace epwise::os
