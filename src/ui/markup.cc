#include "ui/markup.h"

#include <algorithm>

#include "ui/columns.h"

namespace epwise::report {
namespace {

std::size_t longest_run(std::string_view text, char sign) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == sign ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

std::string with_entities(std::string_view text, Quotes quotes) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\'' && quotes == Quotes::both) {
      out += "&#39;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string code_span(std::string_view text) {
  const std::string visible = table_cell(printable(text, true));
  const std::string fence(longest_run(visible, '`') + 1, '`');
  const bool padded = visible.starts_with('`') || visible.ends_with('`');
  return fence + (padded ? " " : "") + visible + (padded ? " " : "") + fence;
}

std::string code_block(std::string_view text, std::string_view language) {
  constexpr std::size_t kLeast = 3;
  const std::string fence(std::max(longest_run(text, '`') + 1, kLeast), '`');
  std::string out = fence + std::string(language) + "\n";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    const bool broken = text[end] == '\n';
    out += printable(text.substr(0, broken ? end : end + 1), true) + "\n";
    text.remove_prefix(end + 1);
  }
  return out + fence + "\n";
}

std::string table_cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') {
      out += "\\|";
    } else {
      out += c == '\n' ? ' ' : c;
    }
  }
  return out;
}

}  // namespace epwise::report
