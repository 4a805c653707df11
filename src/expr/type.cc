#include "expr/type.h"

#include <array>

namespace epwise::expr {

namespace {

struct KindName {
  std::string_view name;
  Kind kind;
};

constexpr std::array<KindName, 7> kKindNames = {{{"any", Kind::any},
                                                 {"bool", Kind::boolean},
                                                 {"int", Kind::integer},
                                                 {"number", Kind::real},
                                                 {"text", Kind::text},
                                                 {"version", Kind::version},
                                                 {"list", Kind::list}}};

constexpr std::array kDimensions = {units::Dimension::bytes,
                                    units::Dimension::seconds,
                                    units::Dimension::flops,
                                    units::Dimension::bytes_per_second,
                                    units::Dimension::flops_per_second,
                                    units::Dimension::hertz};

std::optional<units::Dimension> find_dimension(std::string_view name) {
  for (const units::Dimension dimension : kDimensions) {
    if (units::to_string(dimension) == name) {
      return dimension;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Type> parse_type(std::string_view text) {
  const std::size_t space = text.find(' ');
  const std::string_view word = text.substr(0, space);
  for (const KindName& known : kKindNames) {
    if (known.name != word) {
      continue;
    }
    Type type{.kind = known.kind};
    if (space == std::string_view::npos) {
      return type;
    }
    const auto dimension = find_dimension(text.substr(space + 1));
    const bool countable = known.kind == Kind::integer || known.kind == Kind::real;
    if (!dimension || !countable) {
      return std::nullopt;
    }
    type.dimension = *dimension;
    return type;
  }
  return std::nullopt;
}

std::string_view to_string(Kind kind) {
  for (const KindName& known : kKindNames) {
    if (known.kind == kind) {
      return known.name;
    }
  }
  return "any";
}

}  // namespace epwise::expr
