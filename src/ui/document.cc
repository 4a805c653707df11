#include "ui/document.h"

#include <algorithm>
#include <string_view>

#include <fmt/core.h>

#include "base/text/ascii.h"
#include "ui/columns.h"

namespace epwise::cli {

namespace {

constexpr int kNarrowestColumn = 24;  // minimum width of a wrapped column

std::string indented(std::string_view text, int indent, int width, std::string_view first = {}) {
  std::string result;
  for (const std::string& line : report::wrap(text, std::max(width - indent, kNarrowestColumn))) {
    result += result.empty() && !first.empty() ? std::string(first)
                                               : std::string(static_cast<std::size_t>(indent), ' ');
    result += line + "\n";
  }
  return result;
}

std::vector<std::string> manual_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string chapter_text(const Page::Chapter& chapter, int width) {
  constexpr int kIndent = 2;
  std::string text = text::upper(chapter.title) + "\n";
  for (const std::string& paragraph : chapter.paragraphs) {
    text += indented(paragraph, kIndent, width);
  }
  for (const std::string& point : chapter.points) {
    text += indented(point, kIndent + 2, width, "  - ");
  }
  for (const std::string& line : manual_lines(chapter.code)) {
    text += line.empty() ? "\n" : fmt::format("    {}\n", line);
  }
  return text + two_columns(chapter.rows, kIndent, width);
}

/// A `<` of a text, which would begin a tag.
std::string without_tags(std::string text) {
  for (auto at = text.find('<'); at != std::string::npos; at = text.find('<', at + 2)) {
    text.insert(at, 1, '\\');
  }
  return text;
}

std::string chapter_markdown(const Page::Chapter& chapter) {
  std::string text = fmt::format("\n## {}\n", chapter.title);
  for (const std::string& paragraph : chapter.paragraphs) {
    text += fmt::format("\n{}\n", without_tags(paragraph));
  }
  text += chapter.points.empty() && chapter.rows.empty() ? "" : "\n";
  for (const std::string& point : chapter.points) {
    text += fmt::format("- {}\n", point);
  }
  for (const auto& [name, value] : chapter.rows) {
    text += fmt::format("- `{}`: {}\n", name, value);
  }
  if (!chapter.code.empty()) {
    text +=
        fmt::format("\n```yaml\n{}{}```\n", chapter.code, chapter.code.ends_with('\n') ? "" : "\n");
  }
  return text;
}

}  // namespace

std::string two_columns(const std::vector<std::pair<std::string, std::string>>& rows,
                        int indent,
                        int width) {
  constexpr std::size_t kWidest = 34;
  std::size_t left = 0;
  for (const auto& [name, text] : rows) {
    left = std::max(left, name.size() <= kWidest ? name.size() : 0);
  }
  const int column = indent + static_cast<int>(left) + 2;
  std::string result;
  for (const auto& [name, text] : rows) {
    const std::string head = fmt::format("{:{}}{:<{}}  ", "", indent, name, left);
    if (name.size() > left) {
      result += head.substr(0, head.size() - 2) + "\n" + indented(text, column, width);
    } else {
      result += text.empty() ? head.substr(0, head.find_last_not_of(' ') + 1) + "\n"
                             : indented(text, column, width, head);
    }
  }
  return result;
}

std::string to_text(const Page& document, int width) {
  std::string text = document.title + "\n";
  if (!document.subtitle.empty()) {
    text += indented(document.subtitle, 0, width);
  }
  for (const Page::Chapter& chapter : document.chapters) {
    text += "\n" + chapter_text(chapter, width);
  }
  return text;
}

std::string to_markdown(const Page& document) {
  std::string text = fmt::format("# {}\n", document.title);
  if (!document.subtitle.empty()) {
    text += fmt::format("\n{}\n", document.subtitle);
  }
  for (const Page::Chapter& chapter : document.chapters) {
    text += chapter_markdown(chapter);
  }
  return text;
}

}  // namespace epwise::cli
