#include "waive/comment.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace epwise::waive {

namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::size_t npos = std::string_view::npos;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  return begin == npos ? std::string_view()
                       : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// Takes `word` and the blanks behind it from the front.
bool take(std::string_view word, std::string_view& text) {
  if (!text.starts_with(word)) {
    return false;
  }
  text = trimmed(text.substr(word.size()));
  return true;
}

bool is_date(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-dd";
  const auto fits = [](char c, char form) {
    return form == 'd' ? c >= '0' && c <= '9' : c == form;
  };
  if (text.size() != kForm.size() || !std::equal(text.begin(), text.end(), kForm.begin(), fits)) {
    return false;
  }
  const auto number = [&text](std::size_t at, std::size_t digits) {
    unsigned value = 0;
    for (const char c : text.substr(at, digits)) {
      value = value * 10 + static_cast<unsigned>(c - '0');
    }
    return value;
  };
  return std::chrono::year_month_day(std::chrono::year(static_cast<int>(number(0, 4))),
                                     std::chrono::month(number(5, 2)),
                                     std::chrono::day(number(8, 2)))
      .ok();
}

/// "a, b" → a, b
std::vector<std::string> names_of(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (const std::string_view name = trimmed(list.substr(0, comma)); !name.empty()) {
      names.emplace_back(name);
    }
    list.remove_prefix(comma == npos ? list.size() : comma + 1);
  }
  return names;
}

/// What stands between the list of rules and the reason.
void read_guards(std::string_view guards, Comment& comment) {
  while (!guards.empty() && comment.problem.empty()) {
    if (take("until ", guards)) {
      const std::size_t end = guards.find(' ');
      comment.until = guards.substr(0, end);
      guards = end == npos ? std::string_view() : trimmed(guards.substr(end));
      if (!is_date(comment.until)) {
        comment.problem = "`until` takes a day that there is, such as 2027-03-01";
      }
    } else if (take("while ", guards)) {
      const std::size_t end = std::min(guards.find(" until "), guards.size());
      comment.condition = trimmed(guards.substr(0, end));
      guards = trimmed(guards.substr(end));
    } else {
      comment.problem =
          "behind the list of rules stand `while CONDITION`, `until DATE`, or a colon and the "
          "reason";
    }
  }
}

/// `text` stands behind "epwise:" and begins with "ignore".
Comment read_comment(std::string_view text) {
  Comment comment;
  comment.whole_file = take("ignore-file", text);
  if (!comment.whole_file) {
    take("ignore", text);
  }
  const std::size_t close = text.find(']');
  if (!text.starts_with('[') || close == npos) {
    comment.problem = "it names no rules: write ignore[RULE]: reason";
    return comment;
  }
  comment.rules = names_of(text.substr(1, close - 1));
  if (comment.rules.empty()) {
    comment.problem = "the list of rules is empty: what it accepts has to be named";
    return comment;
  }
  text = trimmed(text.substr(close + 1));
  const std::size_t colon = text.find(':');
  comment.reason = colon == npos ? "" : trimmed(text.substr(colon + 1));
  read_guards(trimmed(text.substr(0, colon)), comment);
  if (comment.problem.empty() && comment.reason.empty()) {
    comment.problem = "it gives no reason: write one behind a colon";
  }
  return comment;
}

bool is_text(std::size_t at, const std::vector<text::Mark>& scalars) {
  return std::ranges::any_of(
      scalars, [at](const text::Mark& mark) { return mark.begin <= at && at < mark.end; });
}

constexpr std::string_view kName = "epwise:";

}  // namespace

bool has_comments(const text::SourceFile& file) {
  const std::string_view bytes = file.bytes();
  for (std::size_t at = bytes.find(kName); at != npos; at = bytes.find(kName, at + 1)) {
    if (trimmed(bytes.substr(at + kName.size(), 64)).starts_with("ignore")) {
      return true;
    }
  }
  return false;
}

std::vector<Comment> comments_of(const text::SourceFile& file,
                                 const std::vector<text::Mark>& scalars) {
  std::vector<Comment> comments;
  const std::string_view bytes = file.bytes();
  for (std::size_t at = bytes.find(kName); at != npos; at = bytes.find(kName, at + 1)) {
    const std::size_t hash = bytes.substr(0, at).find_last_not_of(kBlanks);
    const std::size_t end = std::min(bytes.find_first_of("\r\n", at), bytes.size());
    const std::string_view text = trimmed(bytes.substr(at + kName.size(), end - at - kName.size()));
    if (hash == npos || bytes[hash] != '#' || !text.starts_with("ignore")) {
      continue;
    }
    std::size_t begin = hash;
    while (begin > 0 && bytes[begin - 1] == '#') {
      --begin;
    }
    const std::size_t line = bytes.substr(0, begin).find_last_of("\r\n");
    const std::size_t first = line == npos ? 0 : line + 1;
    const bool starts = begin == first || kBlanks.find(bytes[begin - 1]) != npos;
    if (!starts || is_text(begin, scalars)) {
      continue;
    }
    Comment comment = read_comment(text);
    comment.mark = {&file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
    comment.whole_line = bytes.substr(first, begin - first).find_first_not_of(kBlanks) == npos;
    comments.push_back(std::move(comment));
  }
  return comments;
}

}  // namespace epwise::waive
