#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

/// Re-reads raw text from a position reported by the tokeniser, which gives starts but not ends.
/// All functions take and return byte offsets, accept any offset and stop at the end of the text;
/// each reads what it skips once.

namespace epwise::yaml::raw {

bool is_space(char c);  // blank, tab, CR, LF

bool is_break(char c);  // CR, LF

/// Whether a `---` that starts a document is at `place`.
bool is_document_start(std::string_view text, std::size_t place);

/// After white space, line ends and comments.
std::size_t skip_layout(std::string_view text, std::size_t from);

/// After the `&name`, `*name` or `!tag` that starts at `from`.
std::size_t property_end(std::string_view text, std::size_t from);

/// After the scalar that starts at `begin` and was read as `value`: quotes are followed to the
/// closing one; for plain and block scalars the printed characters of the value are found again,
/// since folding changes only white space.
std::size_t scalar_end(std::string_view text, std::size_t begin, std::string_view value);

/// The first position that PyYAML rejects in the quoted or block scalar [begin, end): `begin` if
/// the quote is not closed, an escape, a character after `|` or `>`; `npos` if there is none.
std::size_t wrong_in_quoted(std::string_view text, std::size_t begin, std::size_t end);

/// After the lines from `from` on that contain only white space.
std::size_t blank_lines_end(std::string_view text, std::size_t from);

struct Character {
  std::size_t length = 0;  // bytes; 0 if there is none
  unsigned code = 0;       // its number in Unicode
};

/// The character at `i` if YAML allows it only as an escape, such as U+0001 or U+009F. The text is
/// valid UTF-8.
Character forbidden_character(std::string_view text, std::size_t i);

/// "~", "null", "Null" or "NULL" if it is at `from` as a whole word, otherwise empty.
std::string_view null_word(std::string_view text, std::size_t from);

}  // namespace epwise::yaml::raw

namespace epwise::yaml {

/// An error that PyYAML reports but the tokeniser accepts.
struct Flaw {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::string_view rule;
  std::string_view message;
  std::string_view help;
};

/// Checks the text between the values of a document: white space, comments, indicators. The
/// tokeniser is lenient (`a` without its colon at the end of a file, `[1, , 2]`); this is not. Each
/// byte is read once, except for a second look after empty values.
class Gaps {
 public:
  Gaps(std::string_view text, std::size_t from) : text_(text), cursor_(from) {}

  std::size_t cursor() const { return cursor_; }

  /// The first position after white space and comments.
  std::size_t next() const;

  /// Skips `indicator` if it comes next and is before `limit`.
  bool take(char indicator, std::size_t limit);

  /// Skips white space and comments up to `place`; anything else is a flaw.
  void reach(std::size_t place, std::string_view message, std::string_view help);

  /// Skips a value without checking its contents; with `plain`, tabs in it count.
  void pass(std::size_t end, bool plain);

  /// Records a flaw at `place`. One mistake causes many: only the first is kept, except for tabs.
  void flaw(std::size_t place, std::string_view message, std::string_view help);

  /// Start of the line of `place`. For ascending positions each byte is read once.
  std::size_t line_start(std::size_t place);

  const std::vector<Flaw>& flaws() const { return flaws_; }

 private:
  void skip_to(std::size_t place);
  void note_tabs(std::size_t begin, std::size_t end);

  std::string_view text_;
  std::size_t cursor_ = 0;       // after the text that has been passed
  std::size_t asked_place_ = 0;  // by line_start
  std::size_t asked_start_ = 0;
  bool flawed_ = false;
  std::size_t tab_line_ = 0;  // after the last recorded tab, until the end of its line
  std::vector<Flaw> flaws_;
};

/// Anchor and tag before a value: `&a !!str 1`.
struct Properties {
  std::string_view anchor;  // "&a"; empty if there is none
  std::string_view tag;     // "!!str"
  std::size_t anchor_at = 0;
  std::size_t end = 0;    // after the last of them
  std::size_t value = 0;  // start of the value, or of whatever comes instead
};

/// Reads at most `most` anchors and tags from `from` on.
Properties read_properties(std::string_view text, std::size_t from, int most);

/// Why PyYAML rejects the anchor, alias or tag that starts at `from`; empty if it does not.
std::string_view refused_property(std::string_view text, std::size_t from);

}  // namespace epwise::yaml
