#include "recipe/header_comment.h"

#include <string_view>

namespace epwise::recipe {
namespace {

constexpr int kMaxLines = 100;

std::string_view strip(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  return begin == std::string_view::npos
             ? std::string_view()
             : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

}  // namespace

std::string header_comment(const text::SourceFile& file) {
  constexpr std::string_view kMark = "epwise:";
  std::string header;
  for (int number = 1; number <= file.line_count() && number <= kMaxLines; ++number) {
    std::string_view line = strip(file.line(number));
    if (!line.empty() && line.front() != '#' && line.substr(0, 3) != "---") {
      break;
    }
    while (!line.empty() && line.front() == '#') {
      line.remove_prefix(1);
    }
    line = strip(line);
    if (line.substr(0, kMark.size()) != kMark) {
      continue;
    }
    const std::string_view rest = strip(line.substr(kMark.size()));
    if (rest.substr(0, 2) == "--") {
      header += (header.empty() ? "" : " ") + std::string(rest);
    }
  }
  return header;
}

}  // namespace epwise::recipe
