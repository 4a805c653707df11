#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "audit/crash_log.h"

/// What single lines of a log say, behind any prefix.
namespace epwise::audit {

/// `  File "x.py", line 12, in f`
std::optional<Frame> frame_in(std::string_view line);

/// An exception and what it says.
struct Said {
  std::string exception;  // without its module
  std::string message;
  std::size_t column = 0;  // where its name begins in the line
};

/// "AssertionError: text", "ValueError", "megatron.core.Problem: text". Outside of a traceback
/// (`alone`) the name stands at the start of the line or behind a colon, and says something.
std::optional<Said> exception_in(std::string_view line, bool alone);

/// What argparse has to say: "pretrain_gpt.py: error: argument --x: invalid int value: 'y'" →
/// "argument --x: …"
std::optional<std::string> complaint_in(std::string_view line);

/// Errors that are no exceptions: a killed process, CUDA out of memory, NCCL's watchdog.
std::optional<std::string> trouble_in(std::string_view line);

/// Whether an error only tells that another process has failed.
bool is_aftermath(std::string_view exception, std::string_view message);

}  // namespace epwise::audit
