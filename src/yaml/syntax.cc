#include "yaml/syntax.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "base/text/spelling.h"
#include "yaml/raw.h"

namespace epwise::yaml {

inline constexpr std::string_view kQuoteText = "quote it if it is meant as text";

/// One of the tokeniser's error messages in our words.
struct Wording {
  std::string_view message;
  std::string_view help;
};

/// By the beginning of the message; an unknown message is returned unchanged.
Wording wording_of(std::string_view complaint);

namespace {

class SyntaxError {
 public:
  SyntaxError(const text::SourceFile& file,
              std::string_view text,
              std::string_view complaint,
              std::size_t noticed,
              const Record& record)
      : file_(file),
        text_(text),
        complaint_(complaint),
        noticed_(std::min(noticed, text.size())),
        record_(record),
        line_(line_start(noticed_)),
        first_(first_printed(line_)) {}

  text::Diagnostic explain() const {
    if (complaint_.starts_with("the referenced anchor")) {
      return unknown_alias();
    }
    if (complaint_.starts_with("unknown escape") || complaint_.starts_with("bad character") ||
        complaint_.starts_with("invalid unicode")) {
      return bad_escape();
    }
    const std::size_t tab = text_.substr(line_, first_ - line_).find('\t');
    if (tab != std::string_view::npos || complaint_.starts_with("illegal tab")) {
      const std::size_t place = tab == std::string_view::npos ? noticed_ : line_ + tab;
      return at("yaml/tab",
                place,
                place + 1,
                "a tab is used for indentation",
                "indent with spaces: PyYAML rejects tabs");
    }
    if (complaint_.starts_with("illegal map value")) {
      return stray_colon();
    }
    if (complaint_.ends_with("flow not found")) {
      return open_bracket();
    }
    if (complaint_.starts_with("end of")) {
      return stray_line();
    }
    const Wording wording = wording_of(complaint_);
    return here(wording.message, wording.help);
  }

 private:
  text::Mark mark(std::size_t begin, std::size_t end) const {
    return {&file_,
            static_cast<std::uint32_t>(std::min(begin, text_.size())),
            static_cast<std::uint32_t>(std::min(end, text_.size()))};
  }

  text::Diagnostic at(std::string rule,
                      std::size_t begin,
                      std::size_t end,
                      std::string message,
                      std::string_view help) const {
    return {std::move(rule), mark(begin, end), std::move(message), {}, std::string(help)};
  }

  text::Diagnostic here(std::string_view message, std::string_view help) const {
    return at("yaml/syntax", noticed_, noticed_ + 1, std::string(message), help);
  }

  std::size_t line_start(std::size_t place) const {
    while (place > 0 && !raw::is_break(text_[place - 1])) {
      --place;
    }
    return place;
  }

  std::size_t line_end(std::size_t place) const {
    return std::min(text_.find_first_of("\r\n", place), text_.size());
  }

  std::size_t first_printed(std::size_t place) const {
    while (place < text_.size() && text::is_blank(text_[place])) {
      ++place;
    }
    return place;
  }

  /// The first printed character of the last line before this one that contains more than a
  /// comment.
  std::optional<std::size_t> line_before() const {
    std::size_t start = line_;
    while (start > 0) {
      const bool crlf = start > 1 && text_[start - 1] == '\n' && text_[start - 2] == '\r';
      start = line_start(start - (crlf ? 2 : 1));
      const std::size_t first = first_printed(start);
      if (first < text_.size() && !raw::is_break(text_[first]) && text_[first] != '#') {
        return first;
      }
    }
    return std::nullopt;
  }

  /// The first `:` in [begin, end) followed by a blank.
  bool has_colon(std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < end; ++i) {
      if (text_[i] == ':' && (i + 1 >= text_.size() || raw::is_space(text_[i + 1]))) {
        return true;
      }
    }
    return false;
  }

  text::Diagnostic unknown_alias() const {
    const std::size_t end = raw::property_end(text_, noticed_);
    std::vector<std::string_view> names;
    for (const Event& event : record_.events) {
      if (event.is_node() && event.type != Event::Type::alias && event.anchor != 0) {
        const std::string_view anchor = read_properties(text_, event.at, 2).anchor;
        names.push_back(anchor.substr(std::min<std::size_t>(1, anchor.size())));
      }
    }
    const std::string_view written = text_.substr(noticed_, end - noticed_);
    return at("yaml/unknown-alias",
              noticed_,
              end,
              fmt::format("`{}` refers to an anchor that is not defined above{}",
                          written,
                          text::did_you_mean(written.substr(1), names)),
              "write `&` and the name before a value above, or quote a text that starts with `*`");
  }

  text::Diagnostic bad_escape() const {
    constexpr std::size_t kLongest = 11;  // \U0010FFFF and one behind it
    const std::size_t from = noticed_ > kLongest ? noticed_ - kLongest : 0;
    const std::size_t slash = text_.substr(from, noticed_ - from).rfind('\\');
    const std::size_t begin = slash == std::string_view::npos ? noticed_ : from + slash;
    return at("yaml/syntax",
              begin,
              std::max(noticed_, begin + 1),
              fmt::format("`{}` is not a YAML escape",
                          text_.substr(begin, std::max(noticed_, begin + 1) - begin)),
              "double the backslash, or use single quotes");
  }

  /// A `:` at which no key can end.
  text::Diagnostic stray_colon() const {
    if (text_.substr(first_).starts_with("--- ")) {
      return here("a mapping cannot start on the line of its `---`", "start it on the next line");
    }
    if (has_colon(first_, noticed_)) {
      return here("a second `: ` on one line",
                  "quote the text, or put the inner mapping on lines of its own");
    }
    const std::optional<std::size_t> before = line_before();
    if (!before) {
      return here("a `:` is not allowed here", kQuoteText);
    }
    const std::size_t before_end = line_end(*before);
    const std::string_view line = text_.substr(*before, before_end - *before);
    if (!has_colon(*before, before_end) && !line.starts_with("- ")) {
      return at("yaml/syntax",
                *before,
                before_end,
                line.find(':') == std::string_view::npos
                    ? "this line has no `:`"
                    : "the `:` on this line must be followed by a space",
                "write `key: value`");
    }
    return at("yaml/syntax",
              first_,
              noticed_ + 1,
              "this key continues the value of the line before it",
              "align it with its sibling keys; for a mapping below a key, that key's line must end "
              "with `:`");
  }

  text::Diagnostic open_bracket() const {
    const bool list = complaint_.starts_with("end of sequence");
    const auto open =
        std::find_if(record_.open.rbegin(), record_.open.rend(), [this](std::size_t i) {
          const char c = text_[std::min<std::size_t>(record_.events[i].at, text_.size() - 1)];
          return c == '[' || c == '{';
        });
    if (open == record_.open.rend()) {
      return here("a bracket is not closed, or a comma is missing", kQuoteText);
    }
    const std::size_t bracket = record_.events[*open].at;
    const bool same_line = noticed_ < text_.size() && bracket >= line_;
    text::Diagnostic problem =
        same_line
            ? here(fmt::format("a comma or the closing `{}` is missing here", list ? ']' : '}'),
                   "quote a text that contains brackets or commas")
            : at("yaml/syntax",
                 bracket,
                 bracket + 1,
                 fmt::format("this `{}` is not closed, or a comma is missing", list ? '[' : '{'),
                 list ? "separate the items with commas and close the list with `]`"
                      : "separate the pairs with commas and close the mapping with `}`");
    problem.related.push_back(same_line
                                  ? text::Label{mark(bracket, bracket + 1), "opened here"}
                                  : text::Label{mark(noticed_, noticed_ + 1), "still open here"});
    return problem;
  }

  /// Something that continues neither the preceding collection nor an enclosing one.
  text::Diagnostic stray_line() const {
    if (noticed_ > first_) {
      return here("this does not belong to anything before it on the line",
                  "quote the whole value; in single quotes, write a `'` twice");
    }
    if (text_.substr(noticed_).starts_with("- ")) {
      return here("a list item where a key is needed",
                  "align it with the other items of its list, or remove the `- `");
    }
    const std::size_t end = line_end(noticed_);
    if (!has_colon(noticed_, end) && complaint_.starts_with("end of map")) {
      return at("yaml/syntax",
                noticed_,
                end,
                "this line has no `: `",
                "write `key: value`, or indent it as part of the text before it");
    }
    return at("yaml/syntax",
              noticed_,
              std::max(end, noticed_ + 1),
              "the indentation of this line matches no line before it",
              "align it with its sibling keys or items");
  }

  const text::SourceFile& file_;
  std::string_view text_;
  std::string_view complaint_;
  std::size_t noticed_;
  const Record& record_;
  std::size_t line_;   // start of the line of `noticed_`
  std::size_t first_;  // its first printed character
};

}  // namespace

text::Diagnostic syntax_error(const text::SourceFile& file,
                              std::string_view text,
                              std::string_view complaint,
                              std::size_t noticed,
                              const Record& record) {
  return SyntaxError(file, text, complaint, noticed, record).explain();
}

text::Diagnostic stray_content(const text::SourceFile& file,
                               std::string_view text,
                               std::size_t start) {
  const std::size_t begin = std::min(start, text.size());
  const std::size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
  return {"yaml/syntax",
          {&file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)},
          "this does not belong to anything before it",
          {},
          "align it with its siblings; a second document starts with a line `---`"};
}

namespace {

struct Row {
  std::string_view complaint;  // how the tokeniser's message starts
  std::string_view message;
  std::string_view help;
};

constexpr std::array kWordings = {
    Row{"illegal EOF in scalar", "a quote is not closed", "add the closing quote"},
    Row{"illegal document indicator in scalar",
        "a line that starts with `---` or `...` ends the document inside quotes",
        "indent the line, or close the quote before it"},
    Row{"illegal flow end", "this bracket has no opening bracket", "remove it, or quote the text"},
    Row{"illegal block entry",
        "a list cannot start here",
        "start it on its own line, with `- ` at the column of its key or deeper"},
    Row{"illegal map key", "a `?` is not allowed here", kQuoteText},
    Row{"unknown token", "no value can start with this character", "quote the text"},
    Row{"anchor not found", "a name is missing after `&`", kQuoteText},
    Row{"alias not found", "a name is missing after `*`", kQuoteText},
    Row{"illegal character found while scanning a",
        "this character is not allowed in a name",
        kQuoteText},
    Row{"illegal character found while scanning tag",
        "this character is not allowed in a tag",
        kQuoteText},
    Row{"tag handle with no suffix", "this tag has no name", kQuoteText},
    Row{"end of verbatim tag", "this tag lacks its `>`", kQuoteText},
    Row{"cannot assign multiple tags", "a second tag for one value", "keep one of them"},
    Row{"cannot assign multiple anchors", "a second anchor for one value", "keep one of them"},
    Row{"unexpected character in block scalar",
        "only a comment may follow `|` and `>`",
        "start the text on the next line, or quote it"},
    Row{"cannot set zero indentation",
        "a block of text cannot have indentation 0",
        "write `|` or `>` without the digit"},
    Row{"illegal tab when looking for indentation",
        "a tab is used for indentation",
        "indent with spaces: PyYAML rejects tabs"},
    Row{"bad YAML version", "not a version of YAML", "remove the line"},
    Row{"YAML major version too large", "not a version of YAML", "remove the line"},
    Row{"YAML directives must have", "a `%YAML` line needs one version", "remove the line"},
    Row{"repeated YAML directive", "a second `%YAML` line", "remove it"},
    Row{"TAG directives must have", "a `%TAG` line needs a handle and a prefix", "remove the line"},
    Row{"repeated TAG directive", "a second `%TAG` line for the same handle", "remove it"},
    Row{"bad file", "lists and mappings are nested too deeply", "flatten the file"},
};

}  // namespace

Wording wording_of(std::string_view complaint) {
  const auto* const row = std::find_if(kWordings.begin(), kWordings.end(), [&](const Row& each) {
    return complaint.starts_with(each.complaint);
  });
  return row == kWordings.end() ? Wording{complaint, {}} : Wording{row->message, row->help};
}

namespace {

bool is_handle_character(char c) {
  return text::is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '_';
}

/// "1.1" or "1.2", followed only by blanks or a comment.
bool is_version(std::string_view rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  if (!rest.starts_with("1.")) {
    return false;
  }
  rest.remove_prefix(2);
  const auto end = std::find_if_not(rest.begin(), rest.end(), text::is_digit);
  const bool any = end != rest.begin();
  rest.remove_prefix(static_cast<std::size_t>(end - rest.begin()));
  const std::size_t next = rest.find_first_not_of(' ');
  return any && (next == std::string_view::npos || (next > 0 && rest[next] == '#'));
}

bool is_directive(std::string_view line) {
  const auto end = std::find_if_not(line.begin() + 1, line.end(), is_handle_character);
  const std::string_view name(line.data() + 1, static_cast<std::size_t>(end - line.begin()) - 1);
  if (name.empty() || (end != line.end() && *end != ' ')) {
    return false;
  }
  return name != "YAML" || is_version(line.substr(1 + name.size()));
}

}  // namespace

std::optional<Flaw> check_directives(std::string_view text, std::size_t begin, std::size_t end) {
  const bool started = raw::is_document_start(text, end);
  std::size_t line = begin;
  while (line < end) {
    const std::size_t next = std::min(text.find_first_of("\r\n", line), end);
    const bool at_start = line == 0 || raw::is_break(text[line - 1]);
    if (at_start && text[line] == '%') {
      const bool good = is_directive(text.substr(line, next - line));
      if (!good || !started) {
        return Flaw{static_cast<std::uint32_t>(line),
                    static_cast<std::uint32_t>(next),
                    "yaml/syntax",
                    good ? "a directive without a document: no line `---` follows"
                         : "a line that starts with `%` is not a setting",
                    "remove the line, or quote the text"};
      }
    }
    line = next + 1;
  }
  return std::nullopt;
}

}  // namespace epwise::yaml
