#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "expr/value.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

/// The result of a flag's converter for one word.
struct Converted {
  enum class Outcome : std::uint8_t {
    fine,
    value,   // the converter rejects the word: argparse prints "invalid int value"
    choice,  // converted, but not among the choices: "invalid choice"
    crash,   // Python raises an error that argparse does not catch: KeyError of an enumeration
  };
  Outcome outcome = Outcome::fine;
  expr::Value value;  // also for a rejected choice; unset if the converter rejects the word
  // if rejected, for display: "an integer", "one of allgather, alltoall, flex"
  std::string expected = {};
};

/// Applies the converter named by `flag.type`, then the flag's choices.
///
///   int, float, bool, str           as Python's constructors: int("1_000") is 1000, int("8.0") is
///                                   rejected, bool("False") is true
///   moe_freq, la_freq, no_rope_freq an integer or, if it contains a `[`, a list pattern
///                                   (recipe/arguments/list_pattern.h)
///   tuple                           "(128,0)" → [128, 0]
///   enum, cuda_graph_modules        a name of an enumeration (the choices); any other raises
///                                   KeyError
Converted convert_flag_value(const Flag& flag, std::string_view word);

/// Python's float(text): accepts surrounding blanks, a sign and single underscores between digits.
std::optional<double> python_float(std::string_view text);

/// The result of a list pattern; `problem` is empty on success.
struct Pattern {
  expr::Value value;
  std::string problem = {};
  // Python raises an error that argparse does not turn into a message (SyntaxError)
  bool crash = false;
};

/// Evaluates the list expressions allowed in Megatron-LM's layer patterns: integers, lists, tuples,
/// `+`, `*`, `**`, an index, nothing else.
///   "([0]*3+[1]*2)" → [0, 0, 0, 1, 1]      "[0]+1" → problem "can't add a list and an integer"
/// Limits: depth 64, 100,000 entries.
Pattern evaluate_pattern(std::string_view text);

}  // namespace epwise::recipe
