#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/arguments.h"
#include "cli/exit_code.h"
#include "cli/lint/linting.h"
#include "cli/session.h"

namespace epwise::cli {

/// Puts changed texts where they belong and says on standard error what was changed, and what
/// would need more. `line` is the command as it was given.
class FixOutput {
 public:
  /// `told`: a report on standard output says which errors no fix settles.
  FixOutput(Session& session, FixOrder order, std::vector<std::string> line, bool told = false)
      : session_(session),
        order_(order),
        line_(std::move(line)),
        told_(told && !order.show_only) {}

  /// Writes a file in one go, unless it is another than the one that was read; the text of standard
  /// input and a launch without file go to standard output; with --diff everything goes there as a
  /// unified diff.
  void add(const LintTask& task, const FixedText& fixed);

  /// How many texts are another now.
  int changed() const { return changed_; }

  /// What a higher tier could settle. `unreadable` when a file could not be written, `findings`
  /// when --diff has shown something.
  ExitCode finish();

 private:
  void say(const std::string& sentence);
  void write(const LintTask& task, const FixedText& fixed);
  void tell(const LintTask& task, const FixedText& fixed);

  void tell_spared(const LintTask& task, int count, std::string_view who, std::string_view option);

  Session& session_;
  FixOrder order_;
  std::vector<std::string> line_;
  bool told_;
  int changed_ = 0;
  std::map<lint::Tier, int> left_;
  ExitCode code_ = ExitCode::clean;
};

/// What --fix and --diff ask for; --diff alone shows what is neutral. nullopt: neither is there.
std::optional<FixOrder> fix_order(const Arguments& arguments);

/// A command with its words quoted for a shell where they need it, and another tier behind --fix.
///   {"lint", "a b.yaml", "--fix", "--diff"}, training → "epwise lint 'a b.yaml' --fix=training
///   --diff"
std::string command_with_tier(const std::vector<std::string>& line, lint::Tier tier);

}  // namespace epwise::cli
