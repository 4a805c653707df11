#include "commands/lint/guarded.h"

#include <memory>
#include <string>

#include "base/os/crash_guard.h"

namespace epwise::cli {

LintOutcome run_guarded(Linter& linter, const LintTask& task) {
  auto outcome = std::make_unique<LintOutcome>();
  std::string what;
  if (os::run_guarded([&] { *outcome = linter.run(task); }, what)) {
    return std::move(*outcome);
  }
  static_cast<void>(outcome.release());  // it may be half written: not even destroyed
  LintOutcome crashed;
  crashed.internal = task.source.path + ": " + what;
  return crashed;
}

}  // namespace epwise::cli
