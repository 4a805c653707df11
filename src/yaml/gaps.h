#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace epwise::yaml {

/// Something that PyYAML refuses and the tokeniser has let pass.
struct Flaw {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::string_view rule;
  std::string_view message;
  std::string_view help;
};

/// Walks through what stands between the values of a document: white space, comments, indicators.
/// The tokeniser forgives much (`a` without its colon at the end of a file, `[1, , 2]`); this
/// doesn't. Each byte is read once, apart from a second look behind empty values.
class Gaps {
 public:
  Gaps(std::string_view text, std::size_t from) : text_(text), cursor_(from) {}

  std::size_t cursor() const { return cursor_; }

  /// The first place behind white space and comments.
  std::size_t next() const;

  /// Passes `indicator` when it comes next and lies before `limit`.
  bool take(char indicator, std::size_t limit);

  /// Passes white space and comments up to `place`; anything else on the way is a flaw.
  void reach(std::size_t place, std::string_view message, std::string_view help);

  /// Passes a value, whose inside is its own business; `plain` says that tabs in it count.
  void pass(std::size_t end, bool plain);

  /// Notes a flaw at `place`. One mistake makes many: only the first is kept, apart from tabs.
  void flaw(std::size_t place, std::string_view message, std::string_view help);

  /// Where the line of `place` starts. Asked for places in rising order it reads each byte once.
  std::size_t line_start(std::size_t place);

  const std::vector<Flaw>& flaws() const { return flaws_; }

 private:
  void skip_to(std::size_t place);
  void note_tabs(std::size_t begin, std::size_t end);

  std::string_view text_;
  std::size_t cursor_ = 0;       // behind what has been passed
  std::size_t asked_place_ = 0;  // by line_start
  std::size_t asked_start_ = 0;
  bool flawed_ = false;
  std::size_t tab_line_ = 0;  // behind the tab noted last, as long as its line goes on
  std::vector<Flaw> flaws_;
};

}  // namespace epwise::yaml
