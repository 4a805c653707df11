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

/// Whether places lie in a range, for places in text order.
class Ranges {
 public:
  explicit Ranges(std::vector<text::Mark> marks) : marks_(std::move(marks)) {
    std::ranges::sort(marks_, {}, &text::Mark::begin);
  }

  bool contain(std::size_t at) {
    for (; next_ < marks_.size() && marks_[next_].begin <= at; ++next_) {
      end_ = std::max<std::size_t>(end_, marks_[next_].end);
    }
    return at < end_;
  }

 private:
  std::vector<text::Mark> marks_;
  std::size_t next_ = 0;
  std::size_t end_ = 0;  // of those that have begun
};

/// The line that contains a place, for places in text order.
class LineOfText {
 public:
  explicit LineOfText(std::string_view bytes) : bytes_(bytes) {}

  void go_to(std::size_t at) {
    if (at >= end) {
      const std::size_t before = bytes_.substr(0, at).find_last_of("\r\n");
      begin = before == std::string_view::npos ? 0 : before + 1;
      end = std::min(bytes_.find_first_of("\r\n", at), bytes_.size());
    }
  }

  std::size_t begin = 0;
  std::size_t end = 0;

 private:
  std::string_view bytes_;
};

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

namespace {

/// Where a comment stands in its text.
struct Stand {
  std::size_t begin = 0;  // of its first `#`
  std::size_t end = 0;    // of its line, or where the next comment on it begins
  std::size_t text = 0;   // after "epwise:"
  bool whole_line = false;
};

std::vector<Stand> stands_of(std::string_view bytes, Ranges texts) {
  std::vector<Stand> stands;
  LineOfText line(bytes);
  for (std::size_t at = bytes.find(kName); at != std::string_view::npos;
       at = bytes.find(kName, at + 1)) {
    line.go_to(at);
    const std::size_t hash = bytes.substr(0, at).find_last_not_of(kBlanks);
    const std::size_t text = at + kName.size();
    const std::string_view rest =
        text::trimmed(bytes.substr(text, line.end - text), text::kBlanksAndReturns);
    if (hash == std::string_view::npos || bytes[hash] != '#' || !rest.starts_with("ignore")) {
      continue;
    }
    std::size_t begin = hash;
    while (begin > 0 && bytes[begin - 1] == '#') {
      --begin;
    }
    const bool starts =
        begin == line.begin || kBlanks.find(bytes[begin - 1]) != std::string_view::npos;
    if (!starts || texts.contain(begin)) {
      continue;
    }
    const bool shares = !stands.empty() && stands.back().end == line.end;
    if (shares) {
      stands.back().end = bytes.substr(0, begin).find_last_not_of(kBlanks) + 1;
    }
    const bool whole_line =
        !shares && bytes.substr(line.begin, begin - line.begin).find_first_not_of(kBlanks) ==
                       std::string_view::npos;
    stands.push_back({begin, line.end, text, whole_line});
  }
  return stands;
}

}  // namespace

std::vector<Comment> comments_of(const text::SourceFile& file, std::vector<text::Mark> scalars) {
  std::vector<Comment> comments;
  const std::string_view bytes = file.bytes();
  for (const Stand& stand : stands_of(bytes, Ranges(std::move(scalars)))) {
    Comment comment = read_comment(
        text::trimmed(bytes.substr(stand.text, stand.end - stand.text), text::kBlanksAndReturns));
    comment.mark = {
        &file, static_cast<std::uint32_t>(stand.begin), static_cast<std::uint32_t>(stand.end)};
    comment.whole_line = stand.whole_line;
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

bool is_comment(std::string_view line) {
  const std::size_t first = line.find_first_not_of(kBlanks);
  return first != std::string_view::npos && line[first] == '#';
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

Scopes Scopes::in_yaml(const std::vector<yaml::Document>& documents) {
  Scopes scopes;
  for (const yaml::Document& document : documents) {
    collect(document.root, scopes.stretches_);
  }
  std::ranges::sort(scopes.stretches_, [](const Mark& a, const Mark& b) {
    return a.begin < b.begin || (a.begin == b.begin && a.end > b.end);
  });
  return scopes;
}

Scopes Scopes::in_script(const text::SourceFile& file) {
  Scopes scopes;
  const int last = file.line_count();
  scopes.lines_.resize(static_cast<std::size_t>(last) + 1);
  int command_end = last;
  int list_end = last;
  int code = last + 1;
  for (int number = last; number >= 1; --number) {
    const std::string_view line = file.line(number);
    const bool closed = line.find(')') != std::string_view::npos;
    command_end = number < last && continues(line) ? command_end : number;
    list_end = number < last && (continues(line) || !closed) ? list_end : number;
    code = is_comment(line) ? code : number;
    scopes.lines_[static_cast<std::size_t>(number)] = {
        code, line.ends_with('(') ? list_end : command_end};
  }
  return scopes;
}

std::optional<Mark> Scopes::of(const Comment& comment) const {
  if (!lines_.empty()) {
    return in_lines(comment);
  }
  const text::SourceFile& file = *comment.mark.file;
  const std::size_t from =
      comment.whole_line ? comment.mark.begin + 1 : file.line_offset(comment.mark.start().line);
  const auto first = std::ranges::lower_bound(stretches_, from, {}, &Mark::begin);
  const bool found =
      first != stretches_.end() && (comment.whole_line || first->begin < comment.mark.begin);
  return found ? std::optional(*first) : std::nullopt;
}

std::optional<Mark> Scopes::in_lines(const Comment& comment) const {
  const text::SourceFile& file = *comment.mark.file;
  const int last = file.line_count();
  int line = comment.mark.start().line;
  if (comment.whole_line && line < last) {
    line = lines_[static_cast<std::size_t>(line) + 1].code;
  } else if (comment.whole_line) {
    return std::nullopt;
  }
  if (line > last) {
    return std::nullopt;
  }
  const std::size_t begin = file.line_offset(line);
  if (comment.whole_line) {
    line = lines_[static_cast<std::size_t>(line)].command_end;
  }
  const std::size_t end = file.line_offset(line) + file.line(line).size();
  return Mark{&file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

}  // namespace epwise::suppress
