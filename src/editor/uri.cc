#include "editor/uri.h"

namespace epwise::editor {

namespace {

constexpr std::string_view kFile = "file://";
constexpr std::string_view kDigits = "0123456789ABCDEF";
constexpr std::string_view kPlain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";

std::optional<unsigned> digit(char c) {
  const auto upper = c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
  const auto at = kDigits.find(upper);
  return at == std::string_view::npos ? std::nullopt : std::optional(static_cast<unsigned>(at));
}

}  // namespace

std::optional<std::string> file_path(std::string_view uri) {
  if (!uri.starts_with(kFile)) {
    return std::nullopt;
  }
  std::string_view rest = uri.substr(kFile.size());
  if (rest.starts_with("localhost/")) {
    rest.remove_prefix(rest.find('/'));
  }
  if (!rest.starts_with('/')) {
    return std::nullopt;
  }
  std::string path;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const auto high = rest[i] == '%' && i + 2 < rest.size() ? digit(rest[i + 1]) : std::nullopt;
    const auto low = high ? digit(rest[i + 2]) : std::nullopt;
    if (low) {
      path += static_cast<char>(*high * 16 + *low);
      i += 2;
    } else {
      path += rest[i];
    }
  }
  return path.find('\0') == std::string::npos ? std::optional(path) : std::nullopt;
}

std::string file_uri(std::string_view path) {
  std::string uri(kFile);
  for (const char c : path) {
    if (kPlain.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      uri += {'%', kDigits[byte / 16U], kDigits[byte % 16U]};
    }
  }
  return uri;
}

}  // namespace epwise::editor
