#include "cli/manual/help.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace epwise::cli {

namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

/// Breaks a sentence at blanks; continued lines stand under the first.
std::string wrapped(std::string_view text, std::size_t indent, int width) {
  const std::size_t room = static_cast<std::size_t>(width) > indent + 30
                               ? static_cast<std::size_t>(width) - indent
                               : std::size_t{30};
  std::string result;
  while (text.size() > room) {
    std::size_t end = text.rfind(' ', room);
    end = end == std::string_view::npos ? text.find(' ') : end;
    if (end == std::string_view::npos) {
      break;
    }
    result.append(text.substr(0, end)).append("\n").append(indent, ' ');
    text.remove_prefix(end + 1);
  }
  return result.append(text);
}

/// Two columns; a left part that is too long has the line to itself.
std::string table(const Rows& rows, int width) {
  constexpr std::size_t kWidest = 26;
  std::size_t left = 0;
  for (const auto& [name, text] : rows) {
    left = std::max(left, name.size() <= kWidest ? name.size() : 0);
  }
  const std::size_t column = left + 4;
  std::string result;
  for (const auto& [name, text] : rows) {
    result += "  " + name;
    if (name.size() > left) {
      result.append("\n").append(column, ' ');
    } else {
      result.append(column - 2 - name.size(), ' ');
    }
    result += wrapped(text, column, width) + "\n";
  }
  return result;
}

std::string examples(const std::vector<Example>& list) {
  std::size_t left = 0;
  for (const Example& example : list) {
    left = std::max(left, example.words.size());
  }
  std::string result = "Examples:\n";
  for (const Example& example : list) {
    result += fmt::format("  epwise {:<{}}   # {}\n", example.words, left, example.what);
  }
  return result;
}

Rows option_rows(const std::vector<Option>& options, bool full) {
  Rows rows;
  for (const Option& option : options) {
    if (!full && !option.brief) {
      continue;
    }
    std::string text(option.summary);
    if (full && !option.variable.empty()) {
      text += fmt::format(" [{}]", option.variable);
    }
    rows.emplace_back(name_and_value(option), text);
  }
  return rows;
}

std::string exit_codes(const Command& command, int width) {
  Rows rows;
  for (const Exit& each : all_exits(command)) {
    rows.emplace_back(fmt::format("{}", to_int(each.code)), each.what);
  }
  return "EXIT CODES\n" + table(rows, width);
}

constexpr std::string_view kOverviewAbout = R"(
Every option can also stand in a variable: --fail-on in EPWISE_FAIL_ON, a switch as 1 or 0, several
values separated by commas (EPWISE_ENV: by blanks). NO_COLOR, FORCE_COLOR and CLICOLOR_FORCE decide
about colour. Nothing is ever sent anywhere, and no file is written but those that an option names.
)";

}  // namespace

std::string name_and_value(const Option& option) {
  std::string text = option.short_name.empty() ? "" : fmt::format("{}, ", option.short_name);
  text += option.name;
  if (!option.implied.empty()) {
    return fmt::format("{}[={}]", text, option.value);
  }
  return option.value.empty() ? text : fmt::format("{} {}", text, option.value);
}

std::vector<Exit> all_exits(const Command& command) {
  auto exits = command.exits;
  for (const Exit& common :
       {Exit{ExitCode::usage, "the command or a configuration is wrong"},
        Exit{ExitCode::unreadable, "a file can't be opened or read, or the output not be written"},
        Exit{ExitCode::internal, "internal error"},
        Exit{ExitCode::interrupted, "interrupted"}}) {
    if (std::ranges::find(exits, common.code, &Exit::code) == exits.end()) {
      exits.push_back(common);
    }
  }
  std::ranges::stable_sort(exits, {}, &Exit::code);
  return exits;
}

std::string_view overview_about() {
  return kOverviewAbout;
}

std::string overview(int width, bool full) {
  std::string text = "epwise lints Megatron MoE recipes before they reach the cluster.\n\n";
  text += examples({{"lint recipe.yaml --hw h100 --gpus 64", "what goes wrong at launch"},
                    {"explain EPO001", "what a finding means"},
                    {"doctor", "what epwise knows about this machine"}});
  text += "\nUsage: epwise COMMAND [OPTION...] [ARGUMENT...]\n\nCommands:\n";
  Rows rows;
  for (const Command& command : commands()) {
    rows.emplace_back(command.name, command.summary);
  }
  text += table(rows, width);
  if (!full) {
    return text +
           "\n`epwise COMMAND -h` shows examples and the usual options, --help all of them.\n";
  }
  text += "\nOptions of every command:\n" + table(option_rows(root_options(), true), width);
  return text.append(kOverviewAbout);
}

std::string command_help(const Command& command, int width, bool full) {
  std::string text = fmt::format("epwise {}: {}\n\n", command.name, command.summary);
  text += examples(command.examples);
  text += fmt::format("\nUsage: epwise {}\n", command.usage);
  const Rows rows = option_rows(full ? all_options(command) : command.options, full);
  if (!rows.empty()) {
    text += "\nOptions:\n" + table(rows, width);
  }
  if (!full) {
    return text + fmt::format("\n`epwise {} --help` shows everything.\n", command.name);
  }
  if (!command.about.empty()) {
    text.append("\n").append(command.about);
  }
  return text.append("\n").append(exit_codes(command, width));
}

}  // namespace epwise::cli
