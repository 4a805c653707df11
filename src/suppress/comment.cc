#include "suppress/comment.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

#include "base/text/ascii.h"

namespace epwise::suppress {

namespace {

constexpr std::string_view kBlanks = " \t";

/// Takes `word` and the following blanks off the front.
bool take(std::string_view word, std::string_view& text) {
  if (!text.starts_with(word)) {
    return false;
  }
  text = text::trimmed(text.substr(word.size()), text::kBlanksAndReturns);
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
    if (const std::string_view name = text::trimmed(list.substr(0, comma), text::kBlanksAndReturns);
        !name.empty()) {
      names.emplace_back(name);
    }
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return names;
}

/// The text between the list of rules and the reason.
void read_guards(std::string_view guards, Comment& comment) {
  while (!guards.empty() && comment.problem.empty()) {
    if (take("until ", guards)) {
      const std::size_t end = guards.find(' ');
      comment.until = guards.substr(0, end);
      guards = end == std::string_view::npos
                   ? std::string_view()
                   : text::trimmed(guards.substr(end), text::kBlanksAndReturns);
      if (!is_date(comment.until)) {
        comment.problem = "`until` needs a valid date such as 2027-03-01";
      }
    } else if (take("while ", guards)) {
      const std::size_t end = std::min(guards.find(" until "), guards.size());
      comment.condition = text::trimmed(guards.substr(0, end), text::kBlanksAndReturns);
      guards = text::trimmed(guards.substr(end), text::kBlanksAndReturns);
    } else {
      comment.problem =
          "the list of rules must be followed by `while CONDITION`, `until DATE`, or a colon and "
          "the reason";
    }
  }
}

/// `text` follows "epwise:" and begins with "ignore".
Comment read_comment(std::string_view text) {
  Comment comment;
  comment.whole_file = take("ignore-file", text);
  if (!comment.whole_file) {
    take("ignore", text);
  }
  const std::size_t close = text.find(']');
  if (!text.starts_with('[') || close == std::string_view::npos) {
    comment.problem = "it lists no rules: write ignore[RULE]: reason";
    return comment;
  }
  comment.rules = names_of(text.substr(1, close - 1));
  if (comment.rules.empty()) {
    comment.problem = "the list of rules is empty: name the rules to accept";
    return comment;
  }
  text = text::trimmed(text.substr(close + 1), text::kBlanksAndReturns);
  const std::size_t colon = text.find(':');
  comment.reason = colon == std::string_view::npos
                       ? ""
                       : text::trimmed(text.substr(colon + 1), text::kBlanksAndReturns);
  read_guards(text::trimmed(text.substr(0, colon), text::kBlanksAndReturns), comment);
  if (comment.problem.empty() && comment.reason.empty()) {
    comment.problem = "it gives no reason: write one after a colon";
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
  for (std::size_t at = bytes.find(kName); at != std::string_view::npos;
       at = bytes.find(kName, at + 1)) {
    if (text::trimmed(bytes.substr(at + kName.size(), 64), text::kBlanksAndReturns)
            .starts_with("ignore")) {
      return true;
    }
  }
  return false;
}

std::vector<Comment> comments_of(const text::SourceFile& file,
                                 const std::vector<text::Mark>& scalars) {
  std::vector<Comment> comments;
  const std::string_view bytes = file.bytes();
  for (std::size_t at = bytes.find(kName); at != std::string_view::npos;
       at = bytes.find(kName, at + 1)) {
    const std::size_t hash = bytes.substr(0, at).find_last_not_of(kBlanks);
    const std::size_t end = std::min(bytes.find_first_of("\r\n", at), bytes.size());
    const std::string_view text = text::trimmed(
        bytes.substr(at + kName.size(), end - at - kName.size()), text::kBlanksAndReturns);
    if (hash == std::string_view::npos || bytes[hash] != '#' || !text.starts_with("ignore")) {
      continue;
    }
    std::size_t begin = hash;
    while (begin > 0 && bytes[begin - 1] == '#') {
      --begin;
    }
    const std::size_t line = bytes.substr(0, begin).find_last_of("\r\n");
    const std::size_t first = line == std::string_view::npos ? 0 : line + 1;
    const bool starts = begin == first || kBlanks.find(bytes[begin - 1]) != std::string_view::npos;
    if (!starts || is_text(begin, scalars)) {
      continue;
    }
    Comment comment = read_comment(text);
    comment.mark = {&file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
    comment.whole_line =
        bytes.substr(first, begin - first).find_first_not_of(kBlanks) == std::string_view::npos;
    comments.push_back(std::move(comment));
  }
  return comments;
}

namespace {

using text::Mark;

/// A key with its value, or an item of a list, in text order; outer before inner.
void collect(const yaml::Node& node, std::vector<Mark>& stretches) {
  for (const yaml::Entry& entry : node.entries) {
    if (!entry.merged) {
      stretches.push_back({entry.key_mark.file,
                           entry.key_mark.begin,
                           std::max(entry.key_mark.end, entry.value.mark.end)});
      collect(entry.value, stretches);
    }
  }
  for (const yaml::Node& item : node.items) {
    stretches.push_back(item.mark);
    collect(item, stretches);
  }
}

void collect_scalars(const yaml::Node& node, std::vector<Mark>& scalars) {
  if (node.is_scalar() && node.mark == node.defined) {
    scalars.push_back(node.mark);
  }
  for (const yaml::Entry& entry : node.entries) {
    scalars.push_back(entry.key_mark);
    collect_scalars(entry.value, scalars);
  }
  for (const yaml::Node& item : node.items) {
    collect_scalars(item, scalars);
  }
}

/// Whether a line of a script continues on the next one, or opens a list that does.
bool continues(std::string_view line) {
  const std::size_t last = line.find_last_not_of(" \t");
  if (last == std::string_view::npos) {
    return false;
  }
  return line[last] == '\\' || line.ends_with('(');
}

}  // namespace

std::vector<Mark> scalars_of(const std::vector<yaml::Document>& documents) {
  std::vector<Mark> scalars;
  for (const yaml::Document& document : documents) {
    collect_scalars(document.root, scalars);
  }
  return scalars;
}

std::optional<Mark> scope_of(const Comment& comment, const std::vector<yaml::Document>& documents) {
  std::vector<Mark> stretches;
  for (const yaml::Document& document : documents) {
    collect(document.root, stretches);
  }
  const text::SourceFile& file = *comment.mark.file;
  const int line = comment.mark.start().line;
  std::optional<Mark> best;
  for (const Mark& stretch : stretches) {
    const bool candidate = comment.whole_line ? stretch.begin > comment.mark.begin
                                              : file.position(stretch.begin).line == line &&
                                                    stretch.begin < comment.mark.begin;
    const bool better = !best || stretch.begin < best->begin ||
                        (stretch.begin == best->begin && stretch.end > best->end);
    if (candidate && better) {
      best = stretch;
    }
  }
  return best;
}

std::optional<Mark> scope_in_script(const Comment& comment) {
  const text::SourceFile& file = *comment.mark.file;
  int line = comment.mark.start().line + (comment.whole_line ? 1 : 0);
  const int last = file.line_count();
  while (comment.whole_line && line <= last &&
         file.line(line).find_first_not_of(" \t") != std::string_view::npos &&
         file.line(line)[file.line(line).find_first_not_of(" \t")] == '#') {
    ++line;
  }
  if (line > last) {
    return std::nullopt;
  }
  const std::size_t begin = file.line_offset(line);
  if (comment.whole_line) {
    const bool list = file.line(line).ends_with('(');
    while (line < last && (continues(file.line(line)) ||
                           (list && file.line(line).find(')') == std::string_view::npos))) {
      ++line;
    }
  }
  const std::size_t end = file.line_offset(line) + file.line(line).size();
  return Mark{&file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

}  // namespace epwise::suppress
