#include "commands/watch/recording_files.h"

namespace epwise::cli {

void RecordingFiles::note(const std::string& path) const {
  const std::scoped_lock lock(mutex_);
  if (!stamps_.contains(path)) {
    stamps_.emplace(path, stamp(path));
  }
}

std::string RecordingFiles::read(const std::string& path, std::size_t limit) const {
  note(path);
  return ForwardingFiles::read(path, limit);
}

std::string RecordingFiles::read_regular(const std::string& path, std::size_t limit) const {
  note(path);
  return ForwardingFiles::read_regular(path, limit);
}

bool RecordingFiles::is_file(const std::string& path) const {
  note(path);
  return ForwardingFiles::is_file(path);
}

std::vector<std::string> RecordingFiles::list(const std::string& directory) const {
  note(directory);
  return ForwardingFiles::list(directory);
}

std::map<std::string, std::string> RecordingFiles::asked_for() const {
  const std::scoped_lock lock(mutex_);
  return stamps_;
}

}  // namespace epwise::cli
