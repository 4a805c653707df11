#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace epwise::audit {

/// One line of a Python traceback.
struct Frame {
  std::string path;  // as the log has it: "/opt/Megatron-LM/megatron/training/arguments.py"
  int line = 0;
  std::string function;
};

/// One error that a log tells about.
struct Crash {
  enum class Kind : std::uint8_t {
    raised,     // a traceback ends with it
    refused,    // a complaint of argparse
    mentioned,  // the line of an error without a traceback
    aftermath,  // what follows from an error elsewhere: a watchdog's timeout, the launcher's
                // summary
  };
  std::vector<Frame> frames = {};  // outermost first; may be empty
  std::string exception = {};      // "AssertionError"; empty for argparse's complaints
  std::string message = {};        // its lines joined by blanks
  int line = 0;                    // of the log, where the error itself stands, from 1
  Kind kind = Kind::raised;
  std::string code = {};        // the source lines that the traceback shows for its last frames
  std::vector<int> ranks = {};  // that tell it, sorted; empty when the log names none
  int times = 1;                // how often the log tells it
};

/// What torchrun says about the process that failed first.
struct FirstFailure {
  int rank = -1;
  int exit_code = 0;  // negative: the signal that ended it
  int line = 0;       // of the log
};

struct CrashLog {
  std::vector<Crash> crashes;  // what is likely the cause first, what follows from it last
  std::optional<FirstFailure> first_failure;
};

/// Every traceback, every complaint of argparse ("train.py: error: …") and every other line with an
/// error in a log, each once: the ranks of a job tell the same. Ranks may write in turns; prefixes
/// of lines ("[rank3]: ", "12: ", dates) are seen through.
CrashLog read_crashes(std::string_view log);

}  // namespace epwise::audit
