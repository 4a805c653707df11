#include "expr/dimension_rules.h"

#include <array>

namespace epwise::expr {

namespace {

using units::Dimension;

// whole = part * other
struct Product {
  Dimension whole;
  Dimension part;
  Dimension other;
};

constexpr std::array<Product, 3> kProducts = {
    {{Dimension::bytes, Dimension::bytes_per_second, Dimension::seconds},
     {Dimension::flops, Dimension::flops_per_second, Dimension::seconds},
     {Dimension::none, Dimension::hertz, Dimension::seconds}}};

}  // namespace

std::optional<Dimension> multiplied(std::optional<Dimension> left, std::optional<Dimension> right) {
  if (left == Dimension::none || right == Dimension::none) {
    return left == Dimension::none ? right : left;
  }
  for (const Product& product : kProducts) {
    if ((left == product.part && right == product.other) ||
        (left == product.other && right == product.part)) {
      return product.whole;
    }
  }
  return std::nullopt;
}

std::optional<Dimension> divided(std::optional<Dimension> left, std::optional<Dimension> right) {
  if (right == Dimension::none) {
    return left;
  }
  if (left && left == right) {
    return Dimension::none;
  }
  for (const Product& product : kProducts) {
    if (left == product.whole && right == product.part) {
      return product.other;
    }
    if (left == product.whole && right == product.other) {
      return product.part;
    }
  }
  return std::nullopt;
}

}  // namespace epwise::expr
