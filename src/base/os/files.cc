#include "base/os/files.h"

namespace epwise::os {

std::string Files::stamp(const std::string& path) const {
  if (is_file(path)) {
    return "file " + read(path);
  }
  if (!is_directory(path)) {
    return {};
  }
  std::string text = "directory";
  for (const std::string& name : list(path)) {
    text += ' ' + name;
  }
  return text;
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

}  // namespace epwise::os
