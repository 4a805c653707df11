#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "units/quantity.h"

namespace epwise::expr {

/// What a name is declared to hold. `any` turns the checks of that operand off; a recipe may still
/// hold something else than declared (a quoted boolean), which evaluation handles as the
/// framework's Python does.
enum class Kind : std::uint8_t { any, boolean, integer, real, text, version, list };

struct Type {
  Kind kind = Kind::any;
  units::Dimension dimension = units::Dimension::none;  // integer and real only
  bool optional = true;                                 // may be unset

  bool operator==(const Type&) const = default;
};

/// "bool", "int", "number", "text", "version", "list", "any"; a dimension stands behind: "number
/// bytes/s".
std::optional<Type> parse_type(std::string_view text);

/// The word that `parse_type` reads: "bool", "int", …
std::string_view to_string(Kind kind);

}  // namespace epwise::expr
