#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/os/files.h"
#include "commands/lint/linting.h"
#include "session/files/file_selection.h"
#include "session/options/arguments.h"
#include "ui/console.h"
#include "ui/exit_code.h"

namespace epwise::cli {

/// Called before `epwise lint --fix` writes anything: throws MissingError if an operand gave no
/// file, UsageError if that operand is the name of a tier (`--fix neutral`): "there is no file
/// `neutral`; did you mean --fix=neutral?"
void check_inputs_of_fix(const FileSelection& selection,
                         const std::vector<std::string>& operands,
                         const os::Files& files);

/// Writes fixed texts and reports on standard error what was changed and what a higher tier could
/// change. `line` is the command line as given.
class FixOutput {
 public:
  /// `told`: the report on standard output lists errors without a fix.
  FixOutput(Console& console, FixOrder order, std::vector<std::string> line, bool told = false)
      : console_(console),
        order_(order),
        line_(std::move(line)),
        told_(told && !order.show_only) {}

  /// Writes a file atomically, unless it changed since it was read; text from standard input and
  /// launches without a file go to standard output; with --diff everything goes there as a unified
  /// diff.
  void add(const LintTask& task, const FixedText& fixed);

  /// How many texts changed.
  int changed() const { return changed_; }

  /// Reports what a higher tier could fix. `unreadable` if a file could not be written, `findings`
  /// if --diff printed changes.
  ExitCode finish();

 private:
  void say(const std::string& sentence);
  void write(const LintTask& task, const FixedText& fixed);
  void tell(const LintTask& task, const FixedText& fixed);

  void tell_spared(const LintTask& task, int count, std::string_view who, std::string_view option);

  Console& console_;
  FixOrder order_;
  std::vector<std::string> line_;
  bool told_;
  int changed_ = 0;
  std::map<lint::Tier, int> left_;
  ExitCode code_ = ExitCode::clean;
};

/// The request of --fix and --diff; --diff alone shows neutral changes. nullopt: neither is given.
std::optional<FixOrder> fix_order(const Arguments& arguments);

/// Words as one line for a shell, in quotes where needed: {"a b", "c"} → "'a b' c".
std::string shell_joined(const std::vector<std::string>& words);

/// A command line with shell quoting where needed, and a different tier for --fix.
///   {"lint", "a b.yaml", "--fix", "--diff"}, training → "epwise lint 'a b.yaml' --fix=training
///   --diff"
std::string command_with_tier(const std::vector<std::string>& line, lint::Tier tier);

}  // namespace epwise::cli
