#include "report/rules/reference.h"

#include <string_view>

#include <fmt/format.h>

namespace epwise::report {
namespace {

std::string_view behind_last(std::string_view text, char sign) {
  const std::size_t at = text.rfind(sign);
  return at == std::string_view::npos ? text : text.substr(at + 1);
}

/// "63-76" → "#L63-L76"
std::string fragment(std::string_view lines) {
  if (lines.empty()) {
    return {};
  }
  const std::size_t dash = lines.find('-');
  if (dash == std::string_view::npos) {
    return fmt::format("#L{}", lines);
  }
  return fmt::format("#L{}-L{}", lines.substr(0, dash), lines.substr(dash + 1));
}

}  // namespace

std::string uri_of(const lint::Reference& reference) {
  if (reference.repository.empty()) {
    return std::string(reference.path);
  }
  return fmt::format("https://github.com/{}/blob/{}/{}{}",
                     reference.repository,
                     reference.commit.empty() ? "HEAD" : reference.commit,
                     reference.path,
                     fragment(reference.lines));
}

std::string name_of(const lint::Reference& reference) {
  if (reference.repository.empty()) {
    const std::size_t scheme = reference.path.find("://");
    return std::string(scheme == std::string_view::npos ? reference.path
                                                        : reference.path.substr(scheme + 3));
  }
  std::string name(behind_last(reference.repository, '/'));
  if (!reference.commit.empty()) {
    name += fmt::format("@{}", reference.commit);
  }
  name += fmt::format(" {}", behind_last(reference.path, '/'));
  if (!reference.lines.empty()) {
    name += fmt::format(":{}", reference.lines);
  }
  return name;
}

std::string reference_line(const lint::Reference& reference) {
  if (reference.repository.empty()) {
    return std::string(reference.path);
  }
  std::string text(reference.repository);
  if (!reference.commit.empty()) {
    text += fmt::format("@{}", reference.commit);
  }
  text += fmt::format(" {}", reference.path);
  return reference.lines.empty() ? text : fmt::format("{}:{}", text, reference.lines);
}

}  // namespace epwise::report
