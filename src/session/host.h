#pragma once

#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "base/os/files.h"
#include "hw/device.h"

namespace epwise::session {

/// What is to be said about the target once per run, whatever number of recipes it concerns, and is
/// not a finding. Thread-safe.
class Remarks {
 public:
  void add(std::string sentence) {
    const std::lock_guard lock(mutex_);
    sentences_.insert(std::move(sentence));
  }

  /// In alphabetical order; for when nothing adds to them any more.
  const std::set<std::string>& sentences() const { return sentences_; }

 private:
  std::mutex mutex_;
  std::set<std::string> sentences_;
};

/// What a session asks of the process around it. All of it outlives the session.
struct Host {
  const os::Files& files;
  const os::Variables& variables;
  const hw::DeviceProbe& devices;
  Remarks* remarks = nullptr;  // null pointer: nobody reads them
};

}  // namespace epwise::session
