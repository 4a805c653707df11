#pragma once

#include <string>
#include <string_view>

namespace epwise::audit {

/// A line of a job's log without what launchers and loggers put in front of it.
struct LogLine {
  std::string_view text;  // what the program itself wrote, with its indentation
  std::string channel;    // who wrote it: "[rank3]", "[default0]", "3:"; "" when nothing says so
  int rank = -1;          // of the whole job; -1 when nothing says so
  bool stamped = false;   // a date, a time or a logger's level stood in front
};

/// Takes off "[rank3]: ", "[default0]:", "3: " (srun), "[1,3]<stderr>:" (mpirun), "(Worker pid=7)
/// ", dates and times, also several of them:
///   "2026-11-02 10:11:12,345 [rank3]: ValueError: x" → text "ValueError: x", rank 3, stamped
LogLine read_line(std::string_view line);

/// Without colours (ESC [ … m).
std::string without_colours(std::string_view log);

/// Whether a line starts as loggers, launchers and NCCL start theirs; no message of an exception
/// goes on there.
bool is_of_logger(const LogLine& line);

}  // namespace epwise::audit
