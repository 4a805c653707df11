#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/os/files.h"
#include "base/os/regular_files.h"

namespace epwise::cli {

/// A file system that remembers which paths were asked for, also those that are not there. Safe to
/// use from several threads; forwards everything.
class RecordingFiles : public os::Files, public os::RegularReader {
 public:
  explicit RecordingFiles(os::Files& files) : files_(files) {}

  std::string read(const std::string& path, std::size_t limit) const override;
  std::string read_regular(const std::string& path, std::size_t limit) const override;
  bool is_file(const std::string& path) const override;
  bool is_directory(const std::string& path) const override;
  std::vector<std::string> list(const std::string& directory) const override;
  std::optional<std::string> canonical(const std::string& path) const override;
  std::string stamp(const std::string& path) const override;
  void write_atomically(const std::string& path, const std::string& content) override;

  /// Each path with its stamp before it was asked for the first time.
  std::map<std::string, std::string> asked_for() const;

 private:
  void note(const std::string& path) const;

  os::Files& files_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::string> stamps_;
};

}  // namespace epwise::cli
