#pragma once

#include <string>
#include <string_view>

#include "expr/value.h"

namespace epwise::recipe {

/// Result of a list pattern; `problem` is empty when it worked.
struct Pattern {
  expr::Value value;
  std::string problem = {};
  bool crash = false;  // Python raises an error there that argparse doesn't turn into a message
                       // (SyntaxError)
};

/// Evaluates the list expressions that Megatron-LM's layer patterns may hold: integers, lists,
/// tuples, `+`, `*`,
/// `**`, an index, nothing else.
///   "([0]*3+[1]*2)" → [0, 0, 0, 1, 1]      "[0]+1" → problem "can't add a list and an integer"
/// Bounded: depth 64, 100,000 entries.
Pattern evaluate_pattern(std::string_view text);

}  // namespace epwise::recipe
