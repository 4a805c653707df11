#include "report/uri.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace epwise::report {
namespace {

/// "a/./b/../c" → "a/c"; leading ".." stay.
std::string folded(std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    if (part == ".." && !parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
    at = end + 1;
  }
  return fmt::format("{}", fmt::join(parts, "/"));
}

bool is_plain(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return letter || std::string_view("-._~/+=@,!$&'()*;").find(c) != std::string_view::npos;
}

std::string encoded(std::string_view path) {
  std::string result;
  for (const char c : path) {
    if (is_plain(c)) {
      result += c;
    } else {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return result;
}

}  // namespace

std::string repository_path(std::string_view prefix, std::string_view path) {
  if (!path.empty() && path.front() == '/') {
    return "/" + folded(path);
  }
  return folded(fmt::format("{}/{}", prefix, path));
}

std::string repository_uri(std::string_view prefix, std::string_view path) {
  const std::string seen = encoded(repository_path(prefix, path));
  return !seen.empty() && seen.front() == '/' ? "file://" + seen : seen;
}

}  // namespace epwise::report
