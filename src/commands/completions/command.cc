#include <ostream>

#include "commands/all.h"
#include "commands/completions/scripts.h"
#include "session/options/arguments.h"

namespace epwise::cli {

namespace {

ExitCode run_completions(Console& console, const Arguments& arguments) {
  const std::string& shell = arguments.operands.front();
  if (shell == "bash") {
    console.out << bash_completion();
  } else if (shell == "zsh") {
    console.out << zsh_completion();
  } else {
    console.out << fish_completion();
  }
  return ExitCode::clean;
}

}  // namespace

Command completions_command() {
  return {
      .name = "completions",
      .usage = "completions bash|zsh|fish",
      .summary = "print the completion script for a shell",
      .examples = {{"completions bash > ~/.local/share/bash-completion/completions/epwise", "bash"},
                   {"completions zsh > \"${fpath[1]}/_epwise\"", "zsh"},
                   {"completions fish > ~/.config/fish/completions/epwise.fish", "fish"}},
      .actions = {"bash", "zsh", "fish"},
      .operands = Completion::words,
      .run = run_completions};
}

}  // namespace epwise::cli
