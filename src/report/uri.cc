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

std::string repository_path(const Checkout& checkout, std::string_view path) {
  if (!path.starts_with('/')) {
    return folded(fmt::format("{}/{}", checkout.prefix, path));
  }
  std::string absolute = "/" + folded(path);
  const std::string root = checkout.root.ends_with('/') ? checkout.root : checkout.root + "/";
  const bool inside =
      root.size() > 1 && absolute.size() > root.size() && absolute.starts_with(root);
  return inside ? absolute.substr(root.size()) : absolute;
}

std::string repository_uri(const Checkout& checkout, std::string_view path) {
  std::string seen = repository_path(checkout, path);
  if (seen.starts_with("../") && !checkout.root.empty()) {
    seen = "/" + folded(fmt::format("{}/{}", checkout.root, seen));
  }
  return (seen.starts_with('/') ? "file://" : "") + encoded(seen);
}

}  // namespace epwise::report
