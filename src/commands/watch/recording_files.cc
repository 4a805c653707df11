#include "commands/watch/recording_files.h"

namespace epwise::cli {

void RecordingFiles::note(const std::string& path) const {
  const std::scoped_lock lock(mutex_);
  if (!stamps_.contains(path)) {
    stamps_.emplace(path, files_.stamp(path));
  }
}

std::string RecordingFiles::read(const std::string& path, std::size_t limit) const {
  note(path);
  return files_.read(path, limit);
}

std::string RecordingFiles::read_regular(const std::string& path, std::size_t limit) const {
  note(path);
  return os::read_regular(files_, path, limit);
}

bool RecordingFiles::is_file(const std::string& path) const {
  note(path);
  return files_.is_file(path);
}

bool RecordingFiles::is_directory(const std::string& path) const {
  return files_.is_directory(path);
}

std::vector<std::string> RecordingFiles::list(const std::string& directory) const {
  note(directory);
  return files_.list(directory);
}

std::optional<std::string> RecordingFiles::canonical(const std::string& path) const {
  return files_.canonical(path);
}

std::string RecordingFiles::stamp(const std::string& path) const {
  return files_.stamp(path);
}

void RecordingFiles::write_atomically(const std::string& path, const std::string& content) {
  files_.write_atomically(path, content);
}

std::map<std::string, std::string> RecordingFiles::asked_for() const {
  const std::scoped_lock lock(mutex_);
  return stamps_;
}

}  // namespace epwise::cli
