#include <istream>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/units/checked.h"
#include "commands/advise/interview.h"
#include "commands/all.h"
#include "commands/explore/answers.h"
#include "commands/explore/http.h"
#include "commands/explore/server.h"
#include "commands/simulate/simulation.h"
#include "session/target/resolution.h"
#include "session/workspace.h"
#include "ui/single_recipe.h"

namespace epwise::cli {

namespace {

constexpr std::string_view kAboutExplore = R"(THE PAGE
  The recipe's text with the findings next to its lines, controls that change the text or the
  target, the breakdown of the step before and after, memory per stage with the GPU's limit, the
  dispatchers, and plans that are applied with a click. Lint and prediction answer while you type.
  Files are never written: the page downloads the recipe and the reports of simulate and advise.

  Without a recipe it begins with a starter recipe of --model, --hw, --gpus and --ep, the one that
  `epwise advise --which dispatcher` compares; without these, with qwen3-30b-a3b on H100.

WHO CAN SEE IT
  Only this machine: the server listens on 127.0.0.1. Every request needs the token in the printed
  address; requests of other pages are refused, and the page loads nothing from a network. From
  another machine, through SSH:
    ssh -L 8000:127.0.0.1:8000 HOST epwise explore recipe.yaml --port 8000
)";

int port_in(const Arguments& arguments) {
  constexpr int kMost = 65535;
  const auto setting = arguments.one("--port");
  if (!setting) {
    return 0;
  }
  const auto port = units::whole_number(setting->value, 1, kMost);
  if (!port) {
    throw os::UsageError(fmt::format(
        "{}: expected a port from 1 to {}, not `{}`", setting->source, kMost, setting->value));
  }
  return *port;
}

/// Throws os::UsageError for a target that no recipe can have: `--gpus 0`.
void check_target(Console& console, const Arguments& arguments) {
  Workspace workspace(console.host(), given_by(arguments));
  std::vector<const TargetSettings*> sources;
  for (const TargetSettings& each : workspace.given().targets) {
    sources.push_back(&each);
  }
  session::resolve_target(
      sources, *workspace.knowledge(workspace.given().run), workspace.machine());
}

/// The text of the recipe, which the page sends with each request.
std::string recipe_text(const Source& source, const os::Files& files) {
  std::string text = source.text ? *source.text : files.read(source.path, explore::kLargestRecipe);
  if (text.size() > explore::kLargestRecipe) {
    throw os::MissingError(
        fmt::format("cannot serve {}: it is larger than {} MiB, the most that the page sends back; "
                    "split it, or use `epwise lint` and `epwise simulate`",
                    source.path,
                    explore::kLargestRecipe >> 20));
  }
  return text;
}

ExitCode serve(Console& console, const Arguments& arguments, const Source& source) {
  check_target(console, arguments);
  std::string text = recipe_text(source, console.files);
  explore::Server server(port_in(arguments));
  const std::string token = explore::make_token();
  explore::Explorer explorer(console, arguments, {source.path, std::move(text)}, token);
  console.out << fmt::format("http://127.0.0.1:{}/?token={}\n", server.port(), token) << std::flush;
  console.err << "epwise: serving the page at this address to this machine, Ctrl-C ends\n"
              << std::flush;
  const Awaiting ending(console.interruption);
  server.run([&](const explore::Request& request) { return explorer.answer(request); },
             [&] { return ending.interrupted(); });
  return ExitCode::clean;
}

ExitCode run_explore(Console& console, const Arguments& arguments) {
  if (arguments.operands.size() > 1) {
    throw os::UsageError("give one recipe: `epwise explore recipe.yaml --hw h100 --gpus 64`");
  }
  port_in(arguments);  // before anything else is done
  if (!arguments.operands.empty()) {
    if (arguments.one("--model") || arguments.one("--ep")) {
      throw os::UsageError("--model and --ep are for a page without a recipe");
    }
    return serve(console, arguments, source_of(arguments.operands.front(), arguments, console));
  }
  Arguments given = arguments;
  if (!given.one("--model")) {
    given.add("--model", {"qwen3-30b-a3b", "the default"});
  }
  if (!given.one("--hw")) {
    given.add("--hw", {"h100", "the default"});
  }
  return with_starter(
      console, given, [](Console& on, const Arguments& starter, const std::string&) {
        return serve(on, starter, {.path = starter.operands.front(), .text = std::nullopt});
      });
}

}  // namespace

Command explore_command() {
  std::vector<Option> options = simulation_options({"full", "json"});
  std::erase_if(options, [](const Option& option) { return option.name == "--format"; });
  options.push_back({.name = "--port",
                     .arity = Option::Arity::one,
                     .value = "N",
                     .summary = "the port on 127.0.0.1 (default: a free one)",
                     .brief = true});
  options.push_back({.name = "--model",
                     .arity = Option::Arity::one,
                     .value = "NAME",
                     .summary = "without a recipe: deepseek-v3, qwen3-235b-a22b, ..."});
  options.push_back({.name = "--ep",
                     .arity = Option::Arity::one,
                     .value = "N",
                     .summary =
                         "with --model: expert-parallel ranks (default: those of the fastest "
                         "layout)"});
  return {.name = "explore",
          .usage = "explore [OPTION...] [FILE]",
          .summary = "serve a page on this machine to edit a recipe and see what changes",
          .examples = {{"explore recipe.yaml --hw gb200 --gpus 256", "prints the page's address"},
                       {"explore recipe.yaml --port 8000", "for a tunnel through SSH"},
                       {"explore --model deepseek-v3 --hw gb200 --gpus 256",
                        "without a recipe, with a starter for a model"}},
          .options = std::move(options),
          .exits = {{ExitCode::clean, "ended with Ctrl-C"}},
          .about = kAboutExplore,
          .operands = Completion::files,
          .run = run_explore};
}

}  // namespace epwise::cli
