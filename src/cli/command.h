#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/exit_code.h"
#include "cli/session.h"

namespace epwise::cli {

class Arguments;

/// What a shell offers when the user presses Tab.
enum class Completion : std::uint8_t { nothing, words, files, directories, profiles, rules };

/// One option of one command. The only description of it: the parser, the help texts, the
/// environment variables and the shell completions are made from it.
struct Option {
  enum class Arity : std::uint8_t { flag, one, many };  // many: may be repeated

  std::string_view name;             // "--gpus"
  std::string_view short_name = {};  // "-j"; may be empty
  Arity arity = Arity::flag;
  std::string_view value = {};     // how help names the value: "N"; empty for a flag
  std::string_view summary = {};   // one line, no full stop
  std::string_view variable = {};  // "EPWISE_GPUS": read when the option is not given; empty: none
  char separator = ',';            // between the values of a `many` option in its variable
  std::vector<std::string_view> words = {};  // the only values it takes; empty: any
  Completion completion = Completion::nothing;
  /// Of an option with one value: what it means alone. Its value then only comes behind `=`, never
  /// as the next word.
  std::string_view implied = {};
  bool brief = false;  // shown by -h too
};

struct Example {
  std::string_view words;  // behind "epwise "
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
  std::string_view usage;    // behind "epwise ": "lint [OPTION...] FILE... [-- WORD...]"
  std::string_view summary;  // one line, no full stop
  std::vector<Example> examples = {};
  std::vector<Option> options = {};
  /// In words of its own; what every command can end with (usage, unreadable, internal,
  /// interrupted) stands in its help without being listed here.
  std::vector<Exit> exits = {{ExitCode::clean, "done"}};
  std::vector<std::string_view> actions = {};  // "list", "show": what the first argument may be
  bool needs_action = true;                    // else the first argument may be missing
  std::string_view about = {};                 // paragraphs that --help adds at the end
  Completion operands = Completion::nothing;   // what the arguments are
  bool takes_words = false;                    // words behind `--` are something of their own
  bool takes_flag = false;  // its first argument may look like an option: --num-experts
  ExitCode (*run)(Session& session, const Arguments& arguments) = nullptr;
};

/// THE list of commands, in the order of the help text.
std::vector<Command> commands();

/// Options that every command has: --help, --color, -q, -v, --no-input.
std::vector<Option> common_options();

/// Those, and what `epwise` alone has: --version.
std::vector<Option> root_options();

/// The command's own options and the common ones.
std::vector<Option> all_options(const Command& command);

}  // namespace epwise::cli
