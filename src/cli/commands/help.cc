#include "cli/manual/help.h"

#include <ostream>

#include <fmt/core.h>

#include "cli/arguments.h"
#include "cli/commands/all.h"
#include "cli/manual/manual_page.h"
#include "text/spelling.h"

namespace epwise::cli {

namespace {

ExitCode run(Session& session, const Arguments& arguments) {
  if (arguments.flag("--man")) {
    session.out << manual_page();
    return ExitCode::clean;
  }
  const int width = text_width(session.terminal, session.variables);
  if (arguments.operands.empty()) {
    session.out << overview(width, true);
    return ExitCode::clean;
  }
  const std::string& name = arguments.operands.front();
  std::vector<std::string_view> names;
  for (const Command& command : commands()) {
    if (command.name == name) {
      session.out << command_help(command, width, true);
      return ExitCode::clean;
    }
    names.push_back(command.name);
  }
  throw world::UsageError(fmt::format("no command `{}`{}", name, text::did_you_mean(name, names)));
}

}  // namespace

Command help_command() {
  return {
      .name = "help",
      .usage = "help [--man] [COMMAND]",
      .summary = "everything about a command",
      .examples = {{"help lint", "all options of lint"},
                   {"help --man | man -l -", "the manual page"}},
      .options = {{.name = "--man",
                   .summary = "the manual page epwise(1), every command in it, as man reads it"}},
      .run = run};
}

}  // namespace epwise::cli
