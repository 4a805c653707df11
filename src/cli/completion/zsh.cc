#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "cli/completion/scripts.h"
#include "cli/completion/words.h"

namespace epwise::cli {

namespace {

/// Text inside '…' in an _arguments specification, where brackets and colons mean something.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') {
      result += '\\';
    }
    result += c;
  }
  return result;
}

/// The part of a specification that says how to complete a value.
std::string action(Completion completion, const std::vector<std::string>& words) {
  switch (completion) {
    case Completion::files:
      return "_files";
    case Completion::directories:
      return "_files -/";
    case Completion::rules:
      return "{compadd -- ${(f)\"$(epwise rules list --format ids 2>/dev/null)\"}}";
    case Completion::words:
    case Completion::profiles:
      return fmt::format("({})", fmt::join(words, " "));
    case Completion::nothing:
      break;
  }
  return " ";
}

std::string_view equals_sign(const Option& option) {
  if (option.arity == Option::Arity::flag) {
    return "";
  }
  return option.implied.empty() ? "=" : "=-";
}

std::string specification(const Option& option, std::string_view name) {
  std::string text = fmt::format("'{}{}{}[{}]",
                                 option.arity == Option::Arity::many ? "*" : "",
                                 name,
                                 equals_sign(option),
                                 escaped(option.summary));
  if (option.arity != Option::Arity::flag) {
    text += fmt::format("{}:{}:{}",
                        option.implied.empty() ? "" : ":",
                        escaped(option.value),
                        action(option.completion, option_words(option)));
  }
  return text + "'";
}

std::string short_specification(const Option& option) {
  std::string text = specification(option, option.short_name);
  if (const std::size_t equals = text.find("=["); equals != std::string::npos) {
    text[equals] = '+';  // -j4 and -j 4
  }
  return text;
}

std::string command_case(const Command& command) {
  std::string text = fmt::format("        {})\n            _arguments -S", command.name);
  for (const Option& option : all_options(command)) {
    text += " \\\n                " + specification(option, option.name);
    if (!option.short_name.empty()) {
      text += " \\\n                " + short_specification(option);
    }
  }
  return text + fmt::format(" \\\n                '*:argument:{}' ;;\n",
                            action(operand_completion(command), operand_words(command)));
}

}  // namespace

std::string zsh_completion() {
  std::string names;
  std::string cases;
  for (const Command& command : commands()) {
    names += fmt::format("        '{}:{}'\n", command.name, escaped(command.summary));
    cases += command_case(command);
  }
  return fmt::format(R"(#compdef epwise
# zsh completion of epwise; made by `epwise completions zsh`
_epwise() {{
    local -a epwise_commands
    epwise_commands=(
{0}    )
    if (( CURRENT == 2 )); then
        _describe 'command' epwise_commands
        return
    fi
    local command=$words[2]
    shift words
    (( CURRENT-- ))
    case $command in
{1}    esac
}}
if [[ $funcstack[1] == _epwise ]]; then
    _epwise "$@"
else
    compdef _epwise epwise
fi
)",
                     names,
                     cases);
}

}  // namespace epwise::cli
