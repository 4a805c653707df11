#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "cli/completion/scripts.h"
#include "cli/completion/words.h"

namespace epwise::cli {

namespace {

std::string quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') {
      result += '\\';
    }
    result += c;
  }
  return result + "'";
}

/// Options of `complete` that say what a value or argument may be.
std::string offer(Completion completion, const std::vector<std::string>& words) {
  switch (completion) {
    case Completion::files:
      return " -F";
    case Completion::directories:
      return " -f -a '(__fish_complete_directories)'";
    case Completion::rules:
      return " -f -a '(epwise rules list --format ids 2>/dev/null)'";
    case Completion::words:
    case Completion::profiles:
      return fmt::format(" -f -a '{}'", fmt::join(words, " "));
    case Completion::nothing:
      break;
  }
  return " -f";
}

std::string option_line(const Command& command, const Option& option) {
  std::string line =
      fmt::format("complete -c epwise -n '__fish_seen_subcommand_from {}'", command.name);
  const bool is_long = option.name.starts_with("--");
  line += fmt::format(" -{} {}", is_long ? "l" : "s", option.name.substr(is_long ? 2 : 1));
  if (!option.short_name.empty()) {
    line += fmt::format(" -s {}", option.short_name.substr(1));
  }
  line += fmt::format(" -d {}", quoted(option.summary));
  if (option.arity != Option::Arity::flag) {
    line += (option.implied.empty() ? " -r" : "") + offer(option.completion, option_words(option));
  }
  return line + "\n";
}

}  // namespace

std::string fish_completion() {
  std::string text = "# fish completion of epwise; made by `epwise completions fish`\n";
  for (const Command& command : commands()) {
    text += fmt::format("complete -c epwise -n __fish_use_subcommand -f -a {} -d {}\n",
                        command.name,
                        quoted(command.summary));
  }
  for (const Command& command : commands()) {
    for (const Option& option : all_options(command)) {
      text += option_line(command, option);
    }
    text += fmt::format("complete -c epwise -n '__fish_seen_subcommand_from {}'{}\n",
                        command.name,
                        offer(operand_completion(command), operand_words(command)));
  }
  return text;
}

}  // namespace epwise::cli
