#include "yaml/syntax.h"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "yaml/raw.h"

namespace epwise::yaml {

namespace {

struct Wording {
  std::string_view complaint;  // how the tokeniser's message starts
  std::string_view message;
  std::string_view help;
  std::string_view rule = "yaml/syntax";
};

constexpr std::array kWordings = {
    Wording{"the referenced anchor is not defined",
            "this alias names an anchor that is not defined above it",
            "define it with `&` in front of a value above, or quote a text that starts with `*`",
            "yaml/unknown-alias"},
    Wording{"illegal tab when looking for indentation",
            "a tab is used for indentation",
            "indent with blanks: PyYAML refuses tabs",
            "yaml/tab"},
    Wording{"illegal EOF in scalar", "a quoted text is never closed", "add the closing quote"},
    Wording{"end of sequence flow not found",
            "a `[` is not closed, or a comma is missing",
            "separate the items with commas and close the list with `]`"},
    Wording{"end of map flow not found",
            "a `{` is not closed, or a comma is missing",
            "separate the pairs with commas and close the mapping with `}`"},
    Wording{"illegal map value",
            "a second `:` in one line",
            "quote the text, or put the inner mapping on lines of its own"},
    Wording{"end of map not found",
            "this line fits neither the mapping before it nor one around it",
            "check its indentation, and that it reads `key: value`"},
    Wording{"end of sequence not found",
            "this line fits neither the list before it nor what is around it",
            "check its indentation, and that it starts with `- `"},
    Wording{"illegal block entry",
            "a list can't start here",
            "put `- ` at the start of a line of its own"},
    Wording{"illegal flow end", "this bracket closes nothing", "remove it, or quote the text"},
    Wording{"unknown token", "no value can start with this character", "quote the text"},
};

}  // namespace

text::Diagnostic syntax_error(const text::SourceFile& file,
                              std::string_view text,
                              std::string_view complaint,
                              std::size_t noticed,
                              const Record& /*record*/) {
  const std::size_t begin = std::min(noticed, text.size());
  const std::size_t end = std::min(begin + 1, text.size());
  const text::Mark mark = {
      &file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  const auto* const wording =
      std::find_if(kWordings.begin(), kWordings.end(), [complaint](const Wording& each) {
        return complaint.starts_with(each.complaint);
      });
  if (wording == kWordings.end()) {
    return {"yaml/syntax", mark, std::string(complaint), {}, ""};
  }
  return {std::string(wording->rule),
          mark,
          std::string(wording->message),
          {},
          std::string(wording->help)};
}

text::Diagnostic stray_content(const text::SourceFile& file,
                               std::string_view text,
                               std::size_t start) {
  const std::size_t begin = std::min(start, text.size());
  const std::size_t end = std::min(begin + 1, text.size());
  return {"yaml/syntax",
          {&file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)},
          "this belongs to nothing before it",
          {},
          "check its indentation; a second document starts with a line `---`"};
}

}  // namespace epwise::yaml
