#pragma once

#include <mutex>

#include "cli/session.h"
#include "hw/machine.h"

namespace epwise::cli {

/// The machine that this process runs on, looked at when somebody first asks (`--hw auto`,
/// `--stack auto`, `epwise doctor`): the driver and all installed packages are not free. Safe to
/// use from several threads.
class ThisMachine {
 public:
  explicit ThisMachine(const Session& session) : session_(session) {}

  const hw::Machine& get() const;

 private:
  const Session& session_;
  mutable std::once_flag once_;
  mutable hw::Machine machine_;
};

}  // namespace epwise::cli
