#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "recipe/shell/syntax.h"

namespace epwise::shell {

bool starts_name(char c);
bool continues_name(char c);

/// Length of the variable name at `at`; 0 if there is none.
std::size_t name_length(std::string_view text, std::size_t at);

/// "/usr/bin/srun" → "srun"
std::string_view base_name(std::string_view path);

/// The texts between separators; without any, one.
std::vector<std::string> split_at(char separator, std::string_view text);

/// A character that ends an unquoted word.
bool is_meta(char c);

/// Length of the placeholder at `at`, `<path>` or `<your checkpoint>`, that users of the script
/// must replace; 0 if there is none. A shell would treat it as redirections, which is never
/// intended here.
std::size_t placeholder_length(std::string_view text, std::size_t at);

/// Length of the expression of a template engine at `at`, `{{ .Values.layers }}`; 0 if there is none.
std::size_t template_length(std::string_view text, std::size_t at);

/// Reads words with quotes, escapes and expansions.
class WordParser {
 public:
  explicit WordParser(const Source& source) : source_(source), text_(source.text()) {}

  /// The word at `at`, which is advanced past it; empty if there is a blank or an operator.
  Word word(std::size_t& at);

  /// The text up to `end`, or (npos) to the brace that closes `${x:-`, with expansions; `quoted` as
  /// between double quotes.
  Word run(std::size_t& at, std::size_t end, bool quoted);

  /// The offset of the bracket that matches `open`, which is before `at`, skipping quotes and
  /// nested pairs; the end of the text if it is missing.
  std::size_t closing(std::size_t at, char open, char close) const;

  /// The first quote that was read and is not closed; npos if there is none.
  std::size_t unclosed_quote() const { return unclosed_quote_; }

 private:
  enum class Ending : std::uint8_t { meta, brace, place, quote, slash };

  void read(std::size_t& at, std::size_t end, Ending ending, bool quoted, Word& word);
  bool ends(std::size_t at, std::size_t end, Ending ending) const;
  void note_unclosed(std::size_t quote);
  void add_text(std::size_t begin, std::size_t end, bool quoted, Word& word);
  void add_escape(std::size_t& at, bool quoted, Word& word);
  void add_tilde(std::size_t& at, Word& word);
  void add_single(std::size_t& at, Word& word);
  void add_template(std::size_t at, std::size_t length, bool quoted, Word& word);
  void add_ansi(std::size_t& at, Word& word);
  void add_twofold(std::size_t& at, Word& word);
  void add_dollar(std::size_t& at, bool quoted, Word& word);
  void add_braced(std::size_t& at, bool quoted, Word& word);
  void add_command(std::size_t begin, std::size_t sign, std::size_t end, bool quoted, Word& word);
  void add_backticks(std::size_t& at, bool quoted, Word& word);
  Part part(Part::Kind kind, std::size_t begin, std::size_t end, bool quoted) const;

  const Source& source_;
  std::string_view text_;
  int depth_ = 0;
  std::size_t unclosed_quote_ = std::string_view::npos;
};

}  // namespace epwise::shell
