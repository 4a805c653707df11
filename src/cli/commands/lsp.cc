#include <istream>
#include <memory>
#include <ostream>
#include <string_view>
#include <thread>

#include "cli/commands/all.h"
#include "cli/editor_desk.h"
#include "cli/version.h"
#include "editor/inbox.h"
#include "editor/server.h"

namespace epwise::cli {

namespace {

constexpr std::string_view kAbout = R"(EDITORS
  An editor starts this command and speaks the Language Server Protocol with it over standard input
  and output: diagnostics while you type, hover, quick fixes, completion of keys and values, and
  what the framework makes of a value at its start-up behind it. Nothing is ever written to a file.

  What a recipe runs on comes from, the strongest first: the editor's settings
  (initializationOptions, or `epwise` of its configuration), the options here, the recipe's header,
  .epwise.yaml. Settings are named like the options:
    {"hw": "gb200", "gpus": 256, "stack": {"te": "2.14.0"}, "ignore": ["memory/"]}
)";

ExitCode exit_code_of(const editor::Ending& ending, std::ostream& err) {
  switch (ending.kind) {
    case editor::Ending::Kind::orderly:
      return ExitCode::clean;
    case editor::Ending::Kind::without_shutdown:
      err << "epwise: the editor went away without `shutdown`\n";
      return ExitCode::findings;
    case editor::Ending::Kind::broken:
      break;
  }
  err << "epwise: standard input does not speak the Language Server Protocol: " << ending.problem
      << '\n';
  return ExitCode::unreadable;
}

ExitCode run(Session& session, const Arguments& arguments) {
  if (!arguments.operands.empty()) {
    throw world::UsageError("`epwise lsp` takes no files: an editor sends what it has open");
  }
  if (session.terminal.in) {
    if (arguments.flag("--no-input")) {
      throw world::UsageError(
          "`epwise lsp` would listen to the terminal, which --no-input forbids");
    }
    session.err << "epwise: this is for an editor to start, it does not understand what is typed; "
                   "Ctrl-C ends it\n";
  }
  EditorDesk desk(session, arguments);
  session.in.tie(nullptr);  // reading would flush what another thread is writing
  const auto inbox = std::make_shared<editor::Inbox>();
  std::thread reader([inbox, &in = session.in] { inbox->fill(in); });
  editor::Ending ending;
  try {
    ending = editor::Server(desk, session.out, tool_version()).serve(*inbox);
  } catch (...) {
    reader.detach();  // it may wait for input that never comes; the program ends here
    throw;
  }
  reader.join();
  return exit_code_of(ending, session.err);
}

}  // namespace

Command lsp_command() {
  std::vector<Option> options = editor_options();
  options.push_back(
      {.name = "--stdio", .summary = "as it does anyway; some editors say it on their own"});
  return {.name = "lsp",
          .usage = "lsp [OPTION...]",
          .summary = "serve an editor: diagnostics, hover, quick fixes, completion",
          .examples = {{"lsp", "what an editor is told to start"},
                       {"lsp --hw gb200 --gpus 256", "with a target for every recipe"}},
          .options = std::move(options),
          .exits = {{ExitCode::clean, "the editor said shutdown and exit"},
                    {ExitCode::findings, "the editor went away without shutdown"}},
          .about = kAbout,
          .run = run};
}

}  // namespace epwise::cli
