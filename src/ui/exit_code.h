#pragma once

#include <cstdint>

namespace epwise::cli {

/// The exit code of the process. Independent of the output format and part of the interface: a
/// meaning never changes.
///
/// no_device is reserved for commands that measure; no command returns it yet.
enum class ExitCode : std::uint8_t {
  clean = 0,            // checked, nothing at or above --fail-on
  findings = 1,         // checked, something at or above --fail-on
  usage = 2,            // invalid command line or configuration
  unreadable = 3,       // an input does not exist or cannot be read, or an output cannot be written
  nothing_checked = 4,  // there were inputs, but no rule ran on any of them
  no_device = 5,        // a device is needed but not available
  internal = 70,        // an internal error
  interrupted = 130,    // SIGINT
};

constexpr int to_int(ExitCode code) {
  return static_cast<int>(code);
}

/// The severity of a code; failures of the run itself take precedence over findings.
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

/// The code that wins if several apply: 70, 2, 3, 4, 1, 0 in this order.
///   worst(ExitCode::findings, ExitCode::unreadable) → unreadable
constexpr ExitCode worst(ExitCode a, ExitCode b) {
  return badness(a) >= badness(b) ? a : b;
}

}  // namespace epwise::cli
