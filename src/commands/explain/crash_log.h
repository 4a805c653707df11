#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace epwise::audit {

/// One line of a Python traceback.
struct Frame {
  std::string path;  // as in the log: "/opt/Megatron-LM/megatron/training/arguments.py"
  int line = 0;
  std::string function;
};

/// One error in a log.
struct Crash {
  enum class Kind : std::uint8_t {
    raised,     // a traceback ends with it
    refused,    // an argparse error
    mentioned,  // an error line without a traceback
    cut,        // a traceback without its last line
    aftermath,  // a consequence of an error elsewhere: a watchdog timeout, the launcher's summary
  };
  std::vector<Frame> frames = {};  // outermost first; may be empty
  std::string exception = {};      // "AssertionError"; empty for argparse errors
  std::string message = {};        // its lines joined by blanks
  int line = 0;                    // line of the log with the error itself, from 1
  Kind kind = Kind::raised;
  std::string code = {};        // the source lines that the traceback shows for its last frames
  std::vector<int> ranks = {};  // ranks that report it, sorted; empty if the log names none
  int times = 1;                // how often the log contains it
};

/// What torchrun reports about the process that failed first.
struct FirstFailure {
  int rank = -1;
  int exit_code = 0;  // negative: the signal that ended it
  int line = 0;       // of the log
};

struct CrashLog {
  std::vector<Crash> crashes;  // the likely cause first, consequences last
  std::optional<FirstFailure> first_failure;
};

/// All tracebacks, argparse errors ("train.py: error: …") and other error lines in a log, each
/// once, since the ranks of a job report the same. Handles interleaved output of several ranks;
/// ignores line prefixes ("[rank3]: ", "12: ", dates).
CrashLog read_crashes(std::string_view log);

/// A line of a job's log without the prefixes added by launchers and loggers.
struct LogLine {
  std::string_view text;  // what the program itself wrote, with its indentation
  std::string channel;    // the source of the line: "[rank3]", "[default0]", "3:"; "" if unknown
  int rank = -1;          // global rank; -1 if unknown
  bool stamped = false;   // the line started with a date, a time or a log level
};

/// Strips "[rank3]: ", "[default0]:", "3: " (srun), "[1,3]<stderr>:" (mpirun), "(Worker pid=7) ",
/// dates and times, also repeatedly:
///   "2026-11-02 10:11:12,345 [rank3]: ValueError: x" → text "ValueError: x", rank 3, stamped
LogLine read_line(std::string_view line);

/// Removes colour codes (ESC [ … m).
std::string without_colours(std::string_view log);

/// Whether a line starts like output of loggers, launchers or NCCL; an exception message does not
/// continue there.
bool is_of_logger(const LogLine& line);

}  // namespace epwise::audit

/// Recognises errors in single lines of a log, after any prefix.

namespace epwise::audit {

/// `  File "x.py", line 12, in f`
std::optional<Frame> frame_in(std::string_view line);

/// An exception and its message.
struct Said {
  std::string exception;  // without its module
  std::string message;
  std::size_t column = 0;  // column at which its name starts
};

/// "AssertionError: text", "ValueError", "megatron.core.Problem: text". Outside a traceback
/// (`alone`) the name must be at the start of the line or after a colon, and must have a message.
std::optional<Said> exception_in(std::string_view line, bool alone);

/// An argparse error: "pretrain_gpt.py: error: argument --x: invalid int value: 'y'" → "argument
/// --x: …"
std::optional<std::string> complaint_in(std::string_view line);

/// Errors that are not exceptions: a killed process, CUDA out of memory, NCCL's watchdog.
std::optional<std::string> trouble_in(std::string_view line);

/// Whether an error only reports that another process failed.
bool is_aftermath(std::string_view exception, std::string_view message);

}  // namespace epwise::audit
