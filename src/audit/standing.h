#pragma once

#include <cstdint>
#include <string_view>

#include "lint/engine.h"
#include "lint/rule.h"

namespace epwise::audit {

/// What the lint of a recipe says about one rule.
struct Standing {
  enum class Kind : std::uint8_t {
    found,      // the recipe breaks it
    explained,  // it does, because of what another rule found
    open,       // it could not be decided
    absent,     // the framework version of the recipe has no such check
    holds,
  };
  Kind kind = Kind::holds;
  bool ends_launch = false;                // it is the check that ends the launch
  const lint::Finding* finding = nullptr;  // found: that one; explained: what explains it
  const lint::Rule* by = nullptr;          // explained
  const lint::Open* open = nullptr;

  bool broken() const { return kind == Kind::found || kind == Kind::explained; }
};

/// "found", "explained", …
std::string_view to_string(Standing::Kind kind);

Standing standing(const lint::Rule& rule, const lint::Result& recipe);

}  // namespace epwise::audit
