#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "recipe/arguments/arguments.h"
#include "text/diagnostic.h"

namespace epwise::recipe {

/// Collects what argparse complains about last: flags that it doesn't know and words that nothing
/// takes.
class StrayWords {
 public:
  explicit StrayWords(const Parser& parser) : parser_(parser) {}

  /// A flag that the parser doesn't know, "--mo-experts" or "--mo-experts=8".
  void add_flag(const Word& word);

  /// A word (and perhaps more behind it, up to the end of `mark`) that no flag takes.
  void add_word(const Word& word, const text::Mark& mark);

  /// The same behind a flag that takes no value.
  void add_word(const Word& word,
                const text::Mark& mark,
                std::string_view flag,
                const text::Mark& flag_mark);

  const std::vector<std::string>& flags() const { return flags_; }

  const std::vector<text::Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::string suggestion(std::string_view spelling);
  std::string abbreviation(std::string_view spelling) const;

  const Parser& parser_;
  std::vector<std::string> flags_;
  std::vector<text::Diagnostic> diagnostics_;
};

/// "false", "False", "FALSE"
bool reads_as_off(std::string_view word);

}  // namespace epwise::recipe
