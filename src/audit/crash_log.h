#pragma once

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
  std::vector<Frame> frames;  // outermost first; may be empty (argparse prints none)
  std::string exception;      // "AssertionError"; empty for argparse's complaints
  std::string message;        // its lines joined by blanks
  int line = 0;               // of the log, where the error itself stands, from 1
};

/// Every traceback and every complaint of argparse ("train.py: error: …") in a log, in its order,
/// each once: the ranks of a job tell the same. Prefixes of lines ("[rank3]: ", "12: ", dates) are
/// seen through.
std::vector<Crash> read_crashes(std::string_view log);

}  // namespace epwise::audit
