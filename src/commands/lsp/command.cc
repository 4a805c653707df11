#include <istream>
#include <memory>
#include <ostream>
#include <string_view>
#include <thread>

#include "commands/all.h"
#include "commands/lsp/editor_service.h"
#include "commands/lsp/message_queue.h"
#include "commands/lsp/server.h"
#include "ui/version.h"

namespace epwise::cli {

namespace {

constexpr std::string_view kAboutLsp = R"(EDITORS
  An editor starts this command and speaks the Language Server Protocol with it over standard input
  and output: diagnostics while you type, hover, quick fixes, completion of keys and values, and
  inlay hints with the value that the framework computes at start-up. It never writes a file.

  The target of a recipe comes from, in order of precedence: the editor's settings
  (initializationOptions, or `epwise` in its configuration), the options of this command, the
  recipe's header, .epwise.yaml. Settings have the names of the options:
    {"hw": "gb200", "gpus": 256, "stack": {"te": "2.14.0"}, "ignore": ["memory/"]}
)";

ExitCode code_of_ending(const lsp::Ending& ending, std::ostream& err) {
  switch (ending.kind) {
    case lsp::Ending::Kind::orderly:
      return ExitCode::clean;
    case lsp::Ending::Kind::without_shutdown:
      err << "epwise: the editor disconnected without `shutdown`\n";
      return ExitCode::findings;
    case lsp::Ending::Kind::broken:
      break;
  }
  err << "epwise: standard input does not speak the Language Server Protocol: " << ending.problem
      << '\n';
  return ExitCode::unreadable;
}

ExitCode run_lsp(Console& console, const Arguments& arguments) {
  if (!arguments.operands.empty()) {
    throw os::UsageError("`epwise lsp` takes no files: the editor sends its open documents");
  }
  if (console.terminal.in) {
    if (arguments.flag("--no-input")) {
      throw os::UsageError("`epwise lsp` would read from the terminal, which --no-input forbids");
    }
    console.err << "epwise: this command is meant to be started by an editor, not typed to; Ctrl-C "
                   "ends it\n";
  }
  EditorService service(console, arguments);
  console.in.tie(nullptr);  // reading would flush a stream that another thread is writing to
  const auto queue = std::make_shared<lsp::MessageQueue>();
  std::thread reader([queue, &in = console.in] { queue->fill(in); });
  lsp::Ending ending;
  try {
    ending = lsp::Server(service, console.out, tool_version()).serve(*queue);
  } catch (...) {
    reader.detach();  // it may wait for input that never comes; the program ends here
    throw;
  }
  reader.join();
  return code_of_ending(ending, console.err);
}

}  // namespace

Command lsp_command() {
  std::vector<Option> options = editor_options();
  options.push_back({.name = "--stdio", .summary = "the default; some editors pass it unasked"});
  return {.name = "lsp",
          .usage = "lsp [OPTION...]",
          .summary = "serve an editor: diagnostics, hover, quick fixes, completion",
          .examples = {{"lsp", "the command to configure in the editor"},
                       {"lsp --hw gb200 --gpus 256", "with a target for every recipe"}},
          .options = std::move(options),
          .exits = {{ExitCode::clean, "the editor sent shutdown and exit"},
                    {ExitCode::findings, "the editor disconnected without shutdown"}},
          .about = kAboutLsp,
          .run = run_lsp};
}

}  // namespace epwise::cli
