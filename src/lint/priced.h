#pragma once

#include "lint/rule.h"

namespace epwise::lint {

/// Whether the rule's findings come from predictions, and only where `epwise lint --price` asks for
/// them: the rules of rules/price/.
inline bool is_priced(const Rule& rule) {
  return rule.id.starts_with("price/");
}

}  // namespace epwise::lint
