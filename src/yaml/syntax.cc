#include "yaml/syntax.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "text/spelling.h"
#include "yaml/properties.h"
#include "yaml/raw.h"
#include "yaml/wording.h"

namespace epwise::yaml {

namespace {

constexpr std::string_view kQuoteText = "quote the text when it is meant as text";

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

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
                "indent with blanks: PyYAML refuses tabs");
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
    while (place < text_.size() && is_blank(text_[place])) {
      ++place;
    }
    return place;
  }

  /// Where the last line before this one that holds more than a comment starts to print.
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

  /// The first `:` in [begin, end) that has a blank behind it.
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
              fmt::format("`{}` names an anchor that is not defined above it{}",
                          written,
                          text::did_you_mean(written.substr(1), names)),
              "write `&` and the name in front of a value above, or quote a text that starts "
              "with `*`");
  }

  text::Diagnostic bad_escape() const {
    constexpr std::size_t kLongest = 11;  // \U0010FFFF and one behind it
    const std::size_t from = noticed_ > kLongest ? noticed_ - kLongest : 0;
    const std::size_t slash = text_.substr(from, noticed_ - from).rfind('\\');
    const std::size_t begin = slash == std::string_view::npos ? noticed_ : from + slash;
    return at("yaml/syntax",
              begin,
              std::max(noticed_, begin + 1),
              fmt::format("`{}` is no escape that YAML knows",
                          text_.substr(begin, std::max(noticed_, begin + 1) - begin)),
              "double the backslash, or use single quotes");
  }

  /// A `:` where no key can end.
  text::Diagnostic stray_colon() const {
    if (text_.substr(first_).starts_with("--- ")) {
      return here("a mapping can't start in the line of its `---`", "start it on the next line");
    }
    if (has_colon(first_, noticed_)) {
      return here("a second `: ` in one line",
                  "quote the text, or put the inner mapping on lines of its own");
    }
    const std::optional<std::size_t> before = line_before();
    if (!before) {
      return here("a `:` has no place here", kQuoteText);
    }
    const std::size_t before_end = line_end(*before);
    const std::string_view line = text_.substr(*before, before_end - *before);
    if (!has_colon(*before, before_end) && !line.starts_with("- ")) {
      return at("yaml/syntax",
                *before,
                before_end,
                line.find(':') == std::string_view::npos
                    ? "this line has no `:`"
                    : "the `:` in this line needs a blank behind it",
                "write `key: value`");
    }
    return at("yaml/syntax",
              first_,
              noticed_ + 1,
              "this key continues the value of the line before it",
              "align it with the key that it belongs beside; a mapping below a key needs that "
              "key's line to end with `:`");
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
                   "a text that holds brackets or commas needs quotes")
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

  /// Something that neither continues the collection before it nor one around it.
  text::Diagnostic stray_line() const {
    if (noticed_ > first_) {
      return here("this belongs to nothing before it in the line",
                  "quote the whole value; between single quotes a `'` is written twice");
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
              "this line starts at a column where nothing before it does",
              "align it with the key or item that it belongs beside");
  }

  const text::SourceFile& file_;
  std::string_view text_;
  std::string_view complaint_;
  std::size_t noticed_;
  const Record& record_;
  std::size_t line_;   // where the line of `noticed_` starts
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
          "this belongs to nothing before it",
          {},
          "align it with what it belongs beside; a second document starts with a line `---`"};
}

}  // namespace epwise::yaml
