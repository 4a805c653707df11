#include <ostream>

#include <fmt/core.h>

#include "base/text/spelling.h"
#include "commands/all.h"
#include "commands/help/help.h"
#include "session/options/arguments.h"

namespace epwise::cli {

namespace {

ExitCode run_help(Console& console, const Arguments& arguments) {
  if (arguments.flag("--man")) {
    console.out << manual_page();
    return ExitCode::clean;
  }
  const int width = text_width(console.terminal, console.variables);
  if (arguments.operands.empty()) {
    console.out << overview(width, true);
    return ExitCode::clean;
  }
  const std::string& name = arguments.operands.front();
  std::vector<std::string_view> names;
  for (const Command& command : commands()) {
    if (command.name == name) {
      console.out << command_help(command, width, true);
      return ExitCode::clean;
    }
    names.push_back(command.name);
  }
  throw os::UsageError(
      fmt::format("unknown command `{}`{}", name, text::did_you_mean(name, names)));
}

}  // namespace

Command help_command() {
  return {
      .name = "help",
      .usage = "help [--man] [COMMAND]",
      .summary = "show the full help of a command",
      .examples = {{"help lint", "all options of lint"},
                   {"help --man | man -l -", "the manual page"}},
      .options = {{.name = "--man",
                   .summary = "print the manual page epwise(1) with all commands, in man format"}},
      .run = run_help};
}

}  // namespace epwise::cli
