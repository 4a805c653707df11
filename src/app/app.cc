#include "app/app.h"

#include <algorithm>
#include <exception>
#include <ostream>
#include <string_view>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "app/outputs.h"
#include "base/text/spelling.h"
#include "commands/help/help.h"
#include "session/options/arguments.h"
#include "session/options/command_line.h"
#include "ui/command.h"
#include "ui/exit_code.h"
#include "ui/version.h"

namespace epwise::cli {

namespace {

using os::MissingError;
using os::UsageError;

Command command_named(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Command& command : commands()) {
    if (command.name == name) {
      return command;
    }
    names.push_back(command.name);
  }
  throw UsageError(fmt::format("unknown command `{}`{}\n`epwise -h` lists all commands",
                               name,
                               text::did_you_mean(name, names)));
}

/// Splits at the first `--`; what comes after it is never an option.
std::vector<std::string> take_words(std::vector<std::string>& words, bool& has_words) {
  const auto dashes = std::ranges::find(words, "--");
  has_words = dashes != words.end();
  std::vector<std::string> behind(has_words ? dashes + 1 : dashes, words.end());
  words.erase(dashes, words.end());
  return behind;
}

/// Extracts the first word that looks like an option but is not one of this command: `epwise why
/// --num-experts launch.yaml`. Empty if there is none.
std::string take_flag(const std::vector<Option>& options, std::vector<std::string>& words) {
  const auto is_flag = [&](const std::string& word) {
    return word.starts_with("--") && word.find('=') == std::string::npos &&
           std::ranges::find(options, word, &Option::name) == options.end();
  };
  const auto found = std::ranges::find_if(words, is_flag);
  if (found == words.end()) {
    return {};
  }
  std::string flag = std::move(*found);
  words.erase(found);
  return flag;
}

void check_action(const Command& command, const Arguments& arguments) {
  if (command.actions.empty() || (!command.needs_action && arguments.operands.empty())) {
    return;
  }
  const std::string given = arguments.operands.empty() ? "" : arguments.operands.front();
  if (std::ranges::find(command.actions, given) != command.actions.end()) {
    return;
  }
  const std::string complaint = given.empty()
                                    ? fmt::format("`epwise {}` needs an action", command.name)
                                    : fmt::format("`epwise {}` expects one of {}, not `{}`{}",
                                                  command.name,
                                                  fmt::join(command.actions, ", "),
                                                  given,
                                                  text::did_you_mean(given, command.actions));
  throw UsageError(fmt::format("{}\nusage: epwise {}", complaint, command.usage));
}

/// With the operand that the command takes if nothing is named.
Arguments read_by(const Command& command, Arguments arguments) {
  if (arguments.operands.empty() && arguments.words.empty() && !command.usual_operand.empty()) {
    arguments.operands.emplace_back(command.usual_operand);
  }
  return arguments;
}

/// Warns that words after `--` that look like options of the command belong to the launch. No
/// framework has a flag with one of these names except --help.
void hint_at_own_options(const std::vector<Option>& options,
                         const std::vector<std::string>& behind,
                         std::ostream& err) {
  for (const std::string& word : behind) {
    const std::string_view name = std::string_view(word).substr(0, word.find('='));
    const bool own = name.starts_with("--") && name != "--help" &&
                     std::ranges::find(options, name, &Option::name) != options.end();
    if (own) {
      err << fmt::format(
          "epwise: {} comes after `--` and is treated as part of the launch; put options of epwise "
          "before it\n",
          name);
    }
  }
}

/// Warns of a variable that is nearly one that some command reads: EPWISE_FALE_ON.
void hint_at_variables(const os::Variables& variables, std::ostream& err) {
  std::vector<std::string> given = variables.names("EPWISE_");
  if (given.empty()) {
    return;
  }
  std::vector<std::string_view> known;
  for (const Command& command : commands()) {
    for (const Option& option : all_options(command)) {
      if (!option.variable.empty()) {
        known.push_back(option.variable);
      }
    }
  }
  std::ranges::sort(given);
  for (const std::string& name : given) {
    constexpr int kMostEdits = 2;
    const bool slip = std::ranges::any_of(known, [&](std::string_view each) {
      return text::edit_distance(name, each) <= kMostEdits;
    });
    if (slip && std::ranges::find(known, name) == known.end()) {
      err << fmt::format("epwise: no command reads {}{}\n", name, text::did_you_mean(name, known));
    }
  }
}

}  // namespace

int App::run(const std::vector<std::string>& words) {
  ExitCode code = ExitCode::internal;
  try {
    code = ExitCode{static_cast<std::uint8_t>(dispatch(words))};
  } catch (const UsageError& error) {
    console_.err << "epwise: " << error.what() << '\n';
    code = ExitCode::usage;
  } catch (const MissingError& error) {
    console_.err << "epwise: " << error.what() << '\n';
    code = ExitCode::unreadable;
  } catch (const os::NothingError& error) {
    console_.err << "epwise: " << error.what() << '\n';
    code = ExitCode::nothing_checked;
  } catch (const std::exception& error) {
    console_.err << "epwise: internal error: " << error.what()
                 << "; please report it with the command and `epwise --version`\n";
  }
  console_.out.flush();
  if (!console_.out) {
    console_.err << "epwise: cannot write to standard output\n";
    code = worst(code, ExitCode::unreadable);
  }
  return to_int(code);
}

int App::dispatch(const std::vector<std::string>& all) {
  const int width = text_width(console_.terminal, console_.variables);
  std::vector<std::string> words = all;
  bool has_words = false;
  std::vector<std::string> behind = take_words(words, has_words);
  const std::size_t place = find_command(root_options(), words);
  if (place == words.size()) {
    const Arguments arguments = parse_words(root_options(), words, "epwise");
    if (arguments.flag("--version")) {
      console_.out << version_text();
      return to_int(ExitCode::clean);
    }
    const bool asked = arguments.flag("--help") || arguments.flag("-h");
    (asked ? console_.out : console_.err) << overview(width, arguments.flag("--help"));
    return to_int(asked ? ExitCode::clean : ExitCode::usage);
  }
  const Command command = command_named(words[place]);
  words.erase(words.begin() + static_cast<std::ptrdiff_t>(place));
  const std::vector<Option> options = all_options(command);
  const std::string flag = command.takes_flag ? take_flag(options, words) : "";
  Arguments arguments = parse_words(options, words, fmt::format("epwise {}", command.name));
  if (!flag.empty()) {
    arguments.operands.insert(arguments.operands.begin(), flag);
  }
  if (arguments.flag("--help") || arguments.flag("-h")) {
    console_.out << command_help(command, width, arguments.flag("--help"));
    return to_int(ExitCode::clean);
  }
  add_variables(options, console_.variables, arguments);
  hint_at_variables(console_.variables, console_.err);
  if (command.takes_words) {
    hint_at_own_options(options, behind, console_.err);
    arguments.words = std::move(behind);
    arguments.has_words = has_words;
  } else {
    std::ranges::move(behind, std::back_inserter(arguments.operands));
  }
  arguments.line = all;
  check_action(command, arguments);
  check_outputs(read_by(command, arguments), options, console_.files);
  session::Remarks remarks;
  Console console = console_;
  console.remarks = &remarks;
  const ExitCode code = command.run(console, arguments);
  for (const session::NewerRelease& release : remarks.newer_releases()) {
    console_.err << "epwise: " << release.sentence() << '\n';
  }
  return to_int(code);
}

}  // namespace epwise::cli
