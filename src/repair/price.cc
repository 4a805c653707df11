#include "repair/price.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "lint/renaming.h"
#include "text/spelling.h"

namespace epwise::repair {

namespace {

using expr::Value;

constexpr int kWrittenOut = 1;
constexpr int kSpelling = 5;
constexpr int kSwitch = 20;
constexpr int kOther = 30;
constexpr int kNumber = 40;
constexpr int kDoubling = 10;
constexpr int kLayout = 100;

bool is_layout(std::string_view name) {
  return name.ends_with("_parallel_size") || name.ends_with("_parallel_sizes") ||
         name.ends_with("_parallel_layout");
}

/// What counts before the edit, as far as the recipe and the defaults say.
Value value_before(std::string_view name,
                   const recipe::Recipe& recipe,
                   const recipe::Vocabulary& vocabulary) {
  const auto* spec = vocabulary.find(name);
  const auto* field = recipe.find(spec == nullptr ? name : spec->name);
  if (field != nullptr) {
    return field->value;
  }
  return spec == nullptr ? Value() : spec->default_value;
}

int doublings(double from, double to) {
  constexpr double kMost = 4;
  if (from <= 0 || to <= 0) {
    return static_cast<int>(kMost * kDoubling);
  }
  const double steps = std::min(std::fabs(std::log2(to / from)), kMost);
  return static_cast<int>(std::lround(steps * kDoubling));
}

bool is_respelled(const Value& before, const Value& after) {
  return before.text() != nullptr && after.text() != nullptr &&
         !text::nearest(*before.text(), {*after.text()}, 1).empty();
}

int distance_between(const Value& before, const Value& after) {
  if (is_respelled(before, after)) {
    return kSpelling;
  }
  if (before.boolean() != nullptr || after.boolean() != nullptr) {
    return kSwitch;
  }
  if (before.is_number() && after.is_number()) {
    return kNumber + doublings(before.as_number(), after.as_number());
  }
  return kOther;
}

}  // namespace

int distance_of(const lint::Fix::Edit& edit,
                const recipe::Recipe& recipe,
                const recipe::Vocabulary& vocabulary) {
  if (lint::is_renaming(edit)) {
    return kSpelling;
  }
  const Value before = value_before(edit.name, recipe, vocabulary);
  const Value after = edit.target;
  const bool goes = edit.remove && after.is_unset();
  if (!goes && before == after) {
    return kWrittenOut;
  }
  const int steps = goes && before.boolean() == nullptr ? kOther : distance_between(before, after);
  return steps + (is_layout(edit.name) ? kLayout : 0);
}

Price price_of(const lint::Fix& fix,
               const recipe::Recipe& recipe,
               const recipe::Vocabulary& vocabulary) {
  Price price{1, fix.tier, 0};
  for (const lint::Fix::Edit& edit : fix.edits) {
    const int distance = distance_of(edit, recipe, vocabulary);
    price.distance += distance;
    price.size = distance > kLayout ? 2 : price.size;
  }
  return price;
}

}  // namespace epwise::repair
