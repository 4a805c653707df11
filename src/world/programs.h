#pragma once

#include <optional>
#include <string>
#include <vector>

namespace epwise::world {

/// Other programs, as far as this one needs them: git, where the user compares with a revision.
/// Tests use a table of answers.
class Programs {
 public:
  virtual ~Programs() = default;

  /// Standard output of a program that ended with 0; nullopt where it did not, is not there, or
  /// takes longer than half a minute. Its standard error goes nowhere, its standard input is empty.
  virtual std::optional<std::string> output(const std::vector<std::string>& words) const = 0;
};

/// The real ones, found on the PATH; no shell stands between.
class ProcessPrograms : public Programs {
 public:
  std::optional<std::string> output(const std::vector<std::string>& words) const override;
};

}  // namespace epwise::world
