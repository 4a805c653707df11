#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "expr/value.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

/// What a flag's converter makes of one word.
struct Converted {
  enum class Outcome : std::uint8_t {
    fine,
    value,   // the converter refuses the word: argparse says "invalid int value"
    choice,  // converted, but not among the choices: "invalid choice"
    crash,   // Python raises an error there that argparse lets through: KeyError of an enumeration
  };
  Outcome outcome = Outcome::fine;
  expr::Value value;  // also of a refused choice; unset where the converter refuses the word
  std::string expected =
      {};  // when refused, for people: "an integer", "one of allgather, alltoall, flex"
};

/// Applies the converter that `flag.type` names, then the flag's choices.
///
///   int, float, bool, str     as Python's constructors: int("1_000") is 1000, int("8.0") is
///   refused, bool("False") is true moe_freq, la_freq, no_rope_freq   an integer or, with a `[` in
///   it, a list pattern (recipe/arguments/list_pattern.h) tuple                     "(128,0)" →
///   [128, 0] enum, cuda_graph_modules  a name of an enumeration (the choices); any other raises
///   KeyError
Converted convert_flag_value(const Flag& flag, std::string_view word);

/// Python's float(text): blanks around, a sign and single underscores between digits are fine.
std::optional<double> python_float(std::string_view text);

}  // namespace epwise::recipe
