#pragma once

#include <algorithm>
#include <cstddef>

#include "expr/expression.h"

namespace epwise::expr {

/// Equal but for the ranges in the text, which differ when blanks and brackets do.
inline bool same_tree(const Expression& left, const Expression& right) {
  if (left.nodes.size() != right.nodes.size()) {
    return false;
  }
  for (std::size_t i = 0; i < left.nodes.size(); ++i) {
    const Node& a = left.nodes[i];
    const Node& b = right.nodes[i];
    if (a.op != b.op || a.slot != b.slot || a.first != b.first || a.count != b.count ||
        (a.constant < 0) != (b.constant < 0)) {
      return false;
    }
    if (a.constant >= 0 && left.constant(a) != right.constant(b)) {
      return false;
    }
  }
  return std::ranges::equal(left.children, right.children);
}

}  // namespace epwise::expr
