#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "expr/expression.h"

namespace epwise::why {

/// A division of whole numbers that does not come out even: 60 // 16 leaves 12.
struct Remainder {
  std::string dividend;  // values as text: "60"
  std::string divisor;   // "16"
  std::string left;      // "12"
  std::string modulo;    // the same operands as a condition would name them: "gpus % (d.TP * d.PP)"
};

/// Every `//` that an evaluation of the expression comes to and that leaves something over; of
/// `c ? a : b` only the branch that is taken. `text`: the expression as written.
std::vector<Remainder> remainders(const expr::Expression& expression,
                                  std::string_view text,
                                  const expr::Environment& facts);

}  // namespace epwise::why
