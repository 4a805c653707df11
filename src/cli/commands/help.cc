#include "cli/help.h"

#include <ostream>

#include <fmt/core.h>

#include "cli/arguments.h"
#include "cli/commands/all.h"
#include "text/spelling.h"

namespace epwise::cli {

namespace {

ExitCode run(Session& session, const Arguments& arguments) {
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
  return {.name = "help",
          .usage = "help [COMMAND]",
          .summary = "everything about a command",
          .examples = {{"help lint", "all options of lint"}},
          .run = run};
}

}  // namespace epwise::cli
