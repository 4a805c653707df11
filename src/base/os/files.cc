#include "base/os/files.h"

#include "base/os/regular_files.h"

namespace epwise::os {

std::string content_stamp(const Files& files, const std::string& path) {
  if (files.is_file(path)) {
    return "file " + files.read(path);
  }
  if (!files.is_directory(path)) {
    return {};
  }
  std::string text = "directory";
  for (const std::string& name : files.list(path)) {
    text += ' ' + name;
  }
  return text;
}

std::string Files::identity(const std::string& path) const {
  return canonical(path).value_or("");
}

std::string Files::stamp(const std::string& path) const {
  return content_stamp(*this, path);
}

bool Files::create_atomically(const std::string& path, const std::string& content) {
  if (is_file(path)) {
    return false;
  }
  write_atomically(path, content);
  return true;
}

bool Files::replace_atomically(const std::string& path,
                               const std::string& before,
                               const std::string& content) {
  if (read(path) != before) {
    return false;
  }
  write_atomically(path, content);
  return true;
}

void write_parts(Files& files, const std::string& path, const Parts& parts) {
  if (auto* const streaming = dynamic_cast<PartWriter*>(&files)) {
    streaming->write_in_parts(path, parts);
    return;
  }
  std::string text;
  parts([&text](std::string_view part) { text += part; });
  files.write_atomically(path, text);
}

std::string read_regular(const Files& files, const std::string& path, std::size_t limit) {
  const auto* const careful = dynamic_cast<const RegularReader*>(&files);
  return careful == nullptr ? files.read(path, limit) : careful->read_regular(path, limit);
}

}  // namespace epwise::os
