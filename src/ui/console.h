#pragma once

#include <atomic>
#include <iosfwd>

#include "base/os/files.h"
#include "base/os/programs.h"
#include "hw/device.h"
#include "session/host.h"
#include "ui/terminal.h"

namespace epwise::cli {

/// Ctrl-C as seen by a command. Usually it ends the program at once; a command that writes files
/// sets a flag instead, so that it can stop between two files and report what it did. A second
/// Ctrl-C always ends the program at once. Both members are safe in a signal handler.
struct Interruption {
  std::atomic<bool> wanted{false};   // Ctrl-C was pressed
  std::atomic<bool> awaited{false};  // a command checks `wanted` and will end soon
};

static_assert(std::atomic<bool>::is_always_lock_free);

/// During its lifetime, the command handles Ctrl-C. A null pointer has no effect.
class Awaiting {
 public:
  explicit Awaiting(Interruption* interruption) : interruption_(interruption) {
    if (interruption_ != nullptr) {
      interruption_->awaited = true;
    }
  }

  Awaiting(const Awaiting&) = delete;
  Awaiting& operator=(const Awaiting&) = delete;

  ~Awaiting() {
    if (interruption_ != nullptr) {
      interruption_->awaited = false;
    }
  }

  bool interrupted() const { return interruption_ != nullptr && interruption_->wanted; }

 private:
  Interruption* interruption_;
};

// The command line uses the session's types: its options, settings and documents.
using namespace session;  // NOLINT(google-build-using-namespace)

/// A command's environment. Results go to `out`, messages about the run to `err`.
struct Console {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  os::Files& files;
  const os::Variables& variables;
  Terminal terminal;
  const hw::DeviceProbe& devices;
  Interruption* interruption = nullptr;    // none in most tests
  const os::Programs* programs = nullptr;  // null pointer: processes cannot be started
  session::Remarks* remarks = nullptr;     // printed after the command

  /// What was said about the stack so far, for reports.
  std::vector<session::NewerRelease> newer_releases() const {
    using Newer = std::vector<session::NewerRelease>;
    return remarks == nullptr
               ? Newer()
               : Newer(remarks->newer_releases().begin(), remarks->newer_releases().end());
  }

  session::Host host() const { return {files, variables, devices, remarks}; }

  /// The same with another file system.
  Console with(os::Files& others) const {
    return {in, out, err, others, variables, terminal, devices, interruption, programs, remarks};
  }
};

}  // namespace epwise::cli
