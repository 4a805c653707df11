#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "cli/completion/scripts.h"
#include "cli/completion/words.h"

namespace epwise::cli {

namespace {

constexpr std::string_view kRules = "$(epwise rules list --format ids 2>/dev/null)";

/// The command that fills COMPREPLY with one kind of thing.
std::string reply(Completion completion, const std::vector<std::string>& words) {
  switch (completion) {
    case Completion::files:
      return "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")";
    case Completion::directories:
      return "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")";
    case Completion::rules:
      return fmt::format("mapfile -t COMPREPLY < <(compgen -W \"{}\" -- \"$cur\")", kRules);
    case Completion::words:
    case Completion::profiles:
      return fmt::format("mapfile -t COMPREPLY < <(compgen -W \"{}\" -- \"$cur\")",
                         fmt::join(words, " "));
    case Completion::nothing:
      break;
  }
  return "COMPREPLY=()";
}

std::string option_case(const Command& command) {
  std::string text;
  for (const Option& option : all_options(command)) {
    if (option.arity != Option::Arity::flag && option.implied.empty()) {
      text +=
          fmt::format("        {}:{}) {}; return ;;\n",
                      command.name,
                      option.short_name.empty()
                          ? std::string(option.name)
                          : fmt::format("{}|{}:{}", option.name, command.name, option.short_name),
                      reply(option.completion, option_words(option)));
    }
  }
  return text;
}

std::string command_case(const Command& command) {
  std::vector<std::string> options;
  for (const Option& option : all_options(command)) {
    options.push_back(std::string(option.name));
    if (!option.implied.empty()) {
      for (const std::string_view word : option.words) {
        options.push_back(fmt::format("{}={}", option.name, word));
      }
    }
  }
  return fmt::format(
      "        {})\n"
      "            if [[ $cur == -* ]]; then\n"
      "                mapfile -t COMPREPLY < <(compgen -W \"{}\" -- \"$cur\")\n"
      "            else\n"
      "                {}\n"
      "            fi ;;\n",
      command.name,
      fmt::join(options, " "),
      reply(operand_completion(command), operand_words(command)));
}

}  // namespace

std::string bash_completion() {
  std::string options;
  std::string operands;
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    names.push_back(std::string(command.name));
    options += option_case(command);
    operands += command_case(command);
  }
  return fmt::format(R"(# bash completion of epwise; made by `epwise completions bash`
_epwise() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} command='' word
    COMPREPLY=()
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        [[ $word == -- ]] && return
        if [[ -z $command && $word != -* ]]; then command=$word; fi
    done
    if [[ -z $command ]]; then
        mapfile -t COMPREPLY < <(compgen -W "{0} -h --help -V --version" -- "$cur")
        return
    fi
    case $command:$prev in
{1}    esac
    case $command in
{2}    esac
}}
complete -F _epwise epwise
)",
                     fmt::join(names, " "),
                     options,
                     operands);
}

}  // namespace epwise::cli
