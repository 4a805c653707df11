#include "hw/file_text.h"

namespace epwise::hw {

std::optional<std::string> file_head(const os::Files& files,
                                     const std::string& path,
                                     std::size_t limit) {
  try {
    std::string text = files.read(path, limit);
    if (text.size() > limit) {
      text.resize(limit);
    }
    return text;
  } catch (const os::MissingError&) {
    return std::nullopt;
  }
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string_view quoted_after(std::string_view text, std::string_view key) {
  const std::size_t found = text.find(key);
  if (found == std::string_view::npos) {
    return {};
  }
  text.remove_prefix(found + key.size());
  const std::size_t open = text.find_first_of("'\"");
  if (open == std::string_view::npos) {
    return {};
  }
  const std::size_t close = text.find(text[open], open + 1);
  return close == std::string_view::npos ? std::string_view{}
                                         : text.substr(open + 1, close - open - 1);
}

std::vector<std::string> split_paths(std::string_view text) {
  std::vector<std::string> paths;
  while (!text.empty()) {
    const std::size_t end = text.find(':');
    if (end != 0) {
      paths.emplace_back(text.substr(0, end));
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return paths;
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) {
    return ".";
  }
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace epwise::hw
