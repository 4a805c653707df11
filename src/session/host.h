#pragma once

#include <compare>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "base/os/files.h"
#include "hw/device.h"

namespace epwise::session {

/// A version of the software stack that is newer than every release that this program knows.
struct NewerRelease {
  std::string component;  // "te"
  std::string version;    // "99"
  std::string source;     // "--stack"
  std::string newest;     // the newest that is known: "2.20.2"
  bool checked = true;    // false: only the end of a range, which is not visited

  std::strong_ordering operator<=>(const NewerRelease&) const = default;

  /// "te 99 (--stack) is newer than 2.20.2, the newest release that this version of epwise knows;
  /// it is checked as if nothing had changed since"
  std::string sentence() const;
};

/// What is to be said about the target once per run, whatever number of recipes it concerns, and is
/// not a finding. Thread-safe.
class Remarks {
 public:
  void add(NewerRelease release) {
    const std::lock_guard lock(mutex_);
    newer_releases_.insert(std::move(release));
  }

  /// Sorted; for when nothing adds to them any more.
  const std::set<NewerRelease>& newer_releases() const { return newer_releases_; }

 private:
  std::mutex mutex_;
  std::set<NewerRelease> newer_releases_;
};

/// What a session asks of the process around it. All of it outlives the session.
struct Host {
  const os::Files& files;
  const os::Variables& variables;
  const hw::DeviceProbe& devices;
  Remarks* remarks = nullptr;  // null pointer: nobody reads them
};

}  // namespace epwise::session
