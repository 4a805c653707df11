#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/os/forwarding_files.h"

namespace epwise::cli {

/// A file system that remembers which paths were asked for, also those that are not there. Safe to
/// use from several threads.
class RecordingFiles : public os::ForwardingFiles {
 public:
  using ForwardingFiles::ForwardingFiles;

  std::string read(const std::string& path, std::size_t limit) const override;
  std::string read_regular(const std::string& path, std::size_t limit) const override;
  bool is_file(const std::string& path) const override;
  std::vector<std::string> list(const std::string& directory) const override;

  /// Each path with its stamp before it was asked for the first time.
  std::map<std::string, std::string> asked_for() const;

 private:
  void note(const std::string& path) const;

  mutable std::mutex mutex_;
  mutable std::map<std::string, std::string> stamps_;
};

}  // namespace epwise::cli
