#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "commands/all.h"
#include "commands/lint/run.h"
#include "commands/watch/recording_files.h"
#include "session/files/file_selection.h"

namespace epwise::cli {

namespace {

constexpr std::string_view kAboutWatch = R"(WHAT IS WATCHED
  Every file that the last run read or looked for: the recipes, the scripts and configurations that
  they refer to, .epwise.yaml, the baseline, rules, and the searched directories. A change of any of
  them lints again. A mistake in one file never ends the watch; Ctrl-C does, with exit code 0.
)";

using Stamps = std::map<std::string, std::string>;

/// The first path with another stamp; empty: none.
std::string changed(const Stamps& stamps, const os::Files& files) {
  for (const auto& [path, stamp] : stamps) {
    if (files.stamp(path) != stamp) {
      return path;
    }
  }
  return {};
}

/// Waits for a change; empty: Ctrl-C.
std::string wait_for_change(const Stamps& stamps, const os::Files& files, const Awaiting& ending) {
  constexpr std::chrono::milliseconds kStep(50);
  constexpr int kStepsPerLook = 5;
  for (int step = 0; !ending.interrupted(); ++step) {
    std::this_thread::sleep_for(kStep);
    if (step % kStepsPerLook == 0) {
      if (std::string path = changed(stamps, files); !path.empty()) {
        std::this_thread::sleep_for(kStep);  // an editor writes in several steps
        return path;
      }
    }
  }
  return {};
}

/// A run of lint that never ends the watch.
void lint_once(Console& console, const Arguments& arguments) {
  try {
    run_lint(console, arguments);
  } catch (const std::exception& error) {
    console.err << "epwise: " << error.what() << '\n';
  }
}

ExitCode run_watch(Console& console, const Arguments& arguments) {
  if (arguments.operands.empty()) {
    throw os::UsageError("nothing to watch: `epwise watch recipe.yaml` or a directory");
  }
  for (const std::string& operand : arguments.operands) {
    if (session::is_standard_input(operand)) {
      throw os::UsageError(
          fmt::format("`{}` cannot be watched: standard input is read once", operand));
    }
  }
  const Awaiting ending(console.interruption);
  while (!ending.interrupted()) {
    RecordingFiles files(console.files);
    Console inner = console.with(files);
    inner.interruption = nullptr;
    if (console.terminal.out) {
      console.out << "\x1b[2J\x1b[H";
    }
    lint_once(inner, arguments);
    const Stamps stamps = files.asked_for();
    console.out.flush();
    console.err << fmt::format("epwise: watching {} paths, Ctrl-C ends\n", stamps.size())
                << std::flush;
    const std::string path = wait_for_change(stamps, console.files, ending);
    if (!path.empty()) {
      console.err << fmt::format("epwise: {} changed\n", path) << std::flush;
    }
  }
  return ExitCode::clean;
}

}  // namespace

Command watch_command() {
  Command command = lint_command();
  command.name = "watch";
  command.usage = "watch [OPTION...] FILE... [-- WORD...]";
  command.summary = "lint again whenever a recipe, or a file that it depends on, changes";
  command.examples = {{"watch recipe.yaml --hw h100 --gpus 64", "while it is edited"},
                      {"watch recipes/ -f concise", "every recipe in a directory"}};
  std::erase_if(command.options, [](const Option& option) {
    constexpr std::array<std::string_view, 5> kOthers = {
        "--fix", "--diff", "--list-files", "--stdin-filename", "--exit-zero"};
    return std::ranges::find(kOthers, option.name) != kOthers.end();
  });
  command.exits = {{ExitCode::clean, "ended with Ctrl-C"}};
  command.about = kAboutWatch;
  command.run = run_watch;
  return command;
}

}  // namespace epwise::cli
