#include "yaml/wording.h"

#include <algorithm>
#include <array>

namespace epwise::yaml {

namespace {

struct Row {
  std::string_view complaint;  // how the tokeniser's message starts
  std::string_view message;
  std::string_view help;
};

constexpr std::string_view kQuoteText = "quote the text when it is meant as text";

constexpr std::array kWordings = {
    Row{"illegal EOF in scalar", "a quote is never closed", "add the closing quote"},
    Row{"illegal document indicator in scalar",
        "a line that starts with `---` or `...` ends the document inside quotes",
        "indent the line, or close the quote before it"},
    Row{"illegal flow end",
        "this bracket closes nothing that is open",
        "remove it, or quote the text"},
    Row{"illegal block entry",
        "a list can't start here",
        "start it on a line of its own, with `- ` at the column of its key or further in"},
    Row{"illegal map key", "a `?` has no place here", kQuoteText},
    Row{"unknown token", "no value can start with this character", "quote the text"},
    Row{"anchor not found", "a name is missing behind `&`", kQuoteText},
    Row{"alias not found", "a name is missing behind `*`", kQuoteText},
    Row{"illegal character found while scanning a",
        "this character can't stand in a name",
        kQuoteText},
    Row{"illegal character found while scanning tag",
        "this character can't stand in a tag",
        kQuoteText},
    Row{"tag handle with no suffix", "this tag has no name", kQuoteText},
    Row{"end of verbatim tag", "this tag lacks its `>`", kQuoteText},
    Row{"cannot assign multiple tags", "a second tag for one value", "keep one of them"},
    Row{"cannot assign multiple anchors", "a second anchor for one value", "keep one of them"},
    Row{"unexpected character in block scalar",
        "behind `|` and `>` only a comment may follow",
        "start the text on the next line, or quote it"},
    Row{"cannot set zero indentation",
        "a block of text can't have the indentation 0",
        "write `|` or `>` without the digit"},
    Row{"illegal tab when looking for indentation",
        "a tab is used for indentation",
        "indent with blanks: PyYAML refuses tabs"},
    Row{"bad YAML version", "not a version of YAML", "remove the line"},
    Row{"YAML major version too large", "not a version of YAML", "remove the line"},
    Row{"YAML directives must have", "a `%YAML` line takes one version", "remove the line"},
    Row{"repeated YAML directive", "a second `%YAML` line", "remove it"},
    Row{"TAG directives must have", "a `%TAG` line takes a handle and a prefix", "remove the line"},
    Row{"repeated TAG directive", "a second `%TAG` line for the same handle", "remove it"},
    Row{"bad file", "lists and mappings are nested too deep", "flatten the file"},
};

}  // namespace

Wording wording_of(std::string_view complaint) {
  const auto* const row = std::find_if(kWordings.begin(), kWordings.end(), [&](const Row& each) {
    return complaint.starts_with(each.complaint);
  });
  return row == kWordings.end() ? Wording{complaint, {}} : Wording{row->message, row->help};
}

}  // namespace epwise::yaml
