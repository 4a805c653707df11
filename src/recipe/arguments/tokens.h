#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "recipe/arguments/word.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

/// A word as argparse sorts it before it parses anything.
struct ArgumentToken {
  enum class Kind : std::uint8_t { value, flag, separator };
  Kind kind = Kind::value;
  const Flag* flag = nullptr;              // of a flag; null pointer: the parser doesn't know it
  std::string_view spelling = {};          // of a known flag
  std::optional<std::string> joined = {};  // --flag=value
};

/// Sorts words into flags and values: a word that starts with a dash is a flag, but for -4 and -1.5
/// (not -1e-2) and for words with a blank in them; everything behind `--` is a value.
class ArgumentSorter {
 public:
  explicit ArgumentSorter(const std::vector<const Flag*>& flags);

  /// The spellings point into the flags and the joined values are copies; nothing refers to the
  /// words.
  std::vector<ArgumentToken> sort(const std::vector<Word>& words) const;

 private:
  const Flag* find(std::string_view spelling) const;
  ArgumentToken sort(std::string_view word) const;
  ArgumentToken known(std::string_view spelling, std::optional<std::string> joined = {}) const;

  std::unordered_map<std::string_view, const Flag*> by_spelling_;
  bool negative_flags_ = false;  // the parser has flags such as -1: then -4 is one too
};

}  // namespace epwise::recipe
