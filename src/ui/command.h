#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "session/options/arguments.h"
#include "ui/console.h"
#include "ui/exit_code.h"

namespace epwise::cli {

struct Example {
  std::string_view words;  // after "epwise "
  std::string_view what;   // a few words
};

/// What an exit code means for one command.
struct Exit {
  ExitCode code = ExitCode::clean;
  std::string_view what;  // a few words, no full stop
};

/// One subcommand.
struct Command {
  std::string_view name;
  std::string_view usage;    // after "epwise ": "lint [OPTION...] FILE... [-- WORD...]"
  std::string_view summary;  // one line without a full stop
  std::vector<Example> examples = {};
  std::vector<Option> options = {};
  /// Specific to the command; codes common to all commands (usage, unreadable, internal,
  /// interrupted) appear in its help without being listed here.
  std::vector<Exit> exits = {{ExitCode::clean, "done"}};
  std::vector<std::string_view> actions = {};  // "list", "show": the allowed first arguments
  bool needs_action = true;                    // otherwise the first argument may be missing
  std::string_view about = {};                 // paragraphs that --help adds at the end
  Completion operands = Completion::nothing;   // what the arguments are
  std::string_view usual_operand = {};         // what it reads if nothing is named: "."
  bool takes_words = false;                    // words after `--` have their own meaning
  bool takes_flag = false;  // its first argument may look like an option: --num-experts
  ExitCode (*run)(Console& console, const Arguments& arguments) = nullptr;
};

/// The list of all commands, in the order of the help text.
std::vector<Command> commands();

/// Options that every command has: --help, --color, -q, -v, --no-input.
std::vector<Option> common_options();

/// The common options, and those of `epwise` without a command: --version.
std::vector<Option> root_options();

/// The command's own options and the common ones.
std::vector<Option> all_options(const Command& command);

/// --format for commands whose only formats are text and JSON.
Option format_option();

}  // namespace epwise::cli
