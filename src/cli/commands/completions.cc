#include <ostream>

#include "cli/arguments.h"
#include "cli/commands/all.h"
#include "cli/completion/scripts.h"

namespace epwise::cli {

namespace {

ExitCode run(Session& session, const Arguments& arguments) {
  const std::string& shell = arguments.operands.front();
  if (shell == "bash") {
    session.out << bash_completion();
  } else if (shell == "zsh") {
    session.out << zsh_completion();
  } else {
    session.out << fish_completion();
  }
  return ExitCode::clean;
}

}  // namespace

Command completions_command() {
  return {
      .name = "completions",
      .usage = "completions bash|zsh|fish",
      .summary = "print the script that completes commands and options in a shell",
      .examples = {{"completions bash > ~/.local/share/bash-completion/completions/epwise", "bash"},
                   {"completions zsh > \"${fpath[1]}/_epwise\"", "zsh"},
                   {"completions fish > ~/.config/fish/completions/epwise.fish", "fish"}},
      .actions = {"bash", "zsh", "fish"},
      .operands = Completion::words,
      .run = run};
}

}  // namespace epwise::cli
