#include "cli/files/path_pattern.h"

#include <cstddef>

#include "cli/files/glob.h"

namespace epwise::cli {

std::optional<PathPattern> PathPattern::parse(std::string_view line) {
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  while (line.ends_with(' ') && !line.ends_with("\\ ")) {
    line.remove_suffix(1);
  }
  if (line.empty() || line.front() == '#') {
    return std::nullopt;
  }
  PathPattern result;
  if (line.front() == '!') {
    result.negated_ = true;
    line.remove_prefix(1);
  }
  if (line.ends_with('/')) {
    result.directories_only_ = true;
    line.remove_suffix(1);
  }
  const bool anchored = line.find('/') != std::string_view::npos;
  if (line.starts_with('/')) {
    line.remove_prefix(1);
  }
  if (line.empty()) {
    return std::nullopt;
  }
  result.pattern_ = (anchored ? "" : "**/") + std::string(line);
  return result;
}

bool PathPattern::matches(std::string_view path, bool is_directory) const {
  return (is_directory || !directories_only_) && glob_matches(pattern_, path);
}

bool PathPattern::covers(std::string_view path) const {
  if (matches(path, false)) {
    return true;
  }
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/', slash + 1)) {
    if (matches(path.substr(0, slash), true)) {
      return true;
    }
  }
  return false;
}

std::vector<PathPattern> parse_patterns(std::string_view text) {
  std::vector<PathPattern> patterns;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (std::optional<PathPattern> pattern = PathPattern::parse(text.substr(0, end))) {
      patterns.push_back(*pattern);
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return patterns;
}

}  // namespace epwise::cli
