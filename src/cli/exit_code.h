#pragma once

#include <cstdint>

namespace epwise::cli {

/// What the process says to the shell. The same whatever the output format, and part of the
/// interface: a meaning never changes.
///
/// no_device is kept for the commands that measure; no command reaches it yet, so no test does.
enum class ExitCode : std::uint8_t {
  clean = 0,            // checked, nothing at or above --fail-on
  findings = 1,         // checked, something at or above --fail-on
  usage = 2,            // the command or a configuration is wrong
  unreadable = 3,       // an input does not exist or can't be read, or an output can't be written
  nothing_checked = 4,  // inputs were there, but no rule ran on any of them
  no_device = 5,        // a device is needed and none is there
  internal = 70,        // a bug of ours
  interrupted = 130,    // SIGINT
};

constexpr int to_int(ExitCode code) {
  return static_cast<int>(code);
}

/// How bad a code is; what went wrong with the run itself hides what was found in the recipes.
constexpr int badness(ExitCode code) {
  switch (code) {
    case ExitCode::clean:
      return 0;
    case ExitCode::findings:
      return 1;
    case ExitCode::nothing_checked:
      return 2;
    case ExitCode::unreadable:
      return 3;
    case ExitCode::no_device:
      return 4;
    case ExitCode::usage:
      return 5;
    case ExitCode::internal:
      return 6;
    case ExitCode::interrupted:
      return 7;
  }
  return 6;
}

/// The one that counts when several apply: 70, 2, 3, 4, 1, 0 in that order.
///   worst(ExitCode::findings, ExitCode::unreadable) → unreadable
constexpr ExitCode worst(ExitCode a, ExitCode b) {
  return badness(a) >= badness(b) ? a : b;
}

}  // namespace epwise::cli
