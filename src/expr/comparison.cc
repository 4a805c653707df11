#include "expr/comparison.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "expr/arithmetic.h"
#include "expr/python_text.h"

namespace epwise::expr {

namespace {

Order from_difference(bool less, bool equal) {
  if (less) {
    return Order::less;
  }
  return equal ? Order::equal : Order::greater;
}

Order mirrored(Order order) {
  if (order == Order::less) {
    return Order::greater;
  }
  return order == Order::greater ? Order::less : order;
}

// Exact, as in Python: converting the integer to a real would make 2**53 + 1 equal to 2.0**53.
Order order_mixed(std::int64_t left, double right) {
  constexpr double kLimit = 9223372036854775808.0;
  if (std::isnan(right)) {
    return Order::unordered;
  }
  if (right >= kLimit) {
    return Order::less;
  }
  if (right < -kLimit) {
    return Order::greater;
  }
  const double floor = std::floor(right);
  const auto rounded = static_cast<std::int64_t>(floor);
  if (left != rounded) {
    return left < rounded ? Order::less : Order::greater;
  }
  return right > floor ? Order::less : Order::equal;
}

Order order_numbers(const Value& left, const Value& right) {
  const auto left_whole = whole(left);
  const auto right_whole = whole(right);
  if (left_whole && right_whole) {
    return from_difference(*left_whole < *right_whole, *left_whole == *right_whole);
  }
  if (left_whole) {
    return order_mixed(*left_whole, *right.real());
  }
  if (right_whole) {
    return mirrored(order_mixed(*right_whole, *left.real()));
  }
  if (std::isnan(*left.real()) || std::isnan(*right.real())) {
    return Order::unordered;
  }
  return from_difference(*left.real() < *right.real(), *left.real() == *right.real());
}

Order order_versions(const units::Version& left, const units::Version& right) {
  return from_difference(left < right, left == right);
}

Order order_version_with(const units::Version& left, const Value& right) {
  if (right.is_unset()) {
    return Order::unordered;
  }
  if (right.version() != nullptr) {
    return order_versions(left, *right.version());
  }
  if (right.text() != nullptr) {
    if (const auto parsed = units::Version::parse(*right.text())) {
      return order_versions(left, *parsed);
    }
  }
  return Order::refused;
}

Order order_lists(const Value::List& left, const Value::List& right) {
  const std::size_t both = std::min(left.size(), right.size());
  for (std::size_t i = 0; i < both; ++i) {
    const Likeness same = equality(left[i], right[i]);
    if (same == Likeness::open) {
      return Order::open;
    }
    if (same == Likeness::different) {
      return order(left[i], right[i]);
    }
  }
  return from_difference(left.size() < right.size(), left.size() == right.size());
}

Likeness likeness_of(bool equal) {
  return equal ? Likeness::equal : Likeness::different;
}

Likeness version_equality(const units::Version& version, const Value& other) {
  if (other.version() != nullptr) {
    return likeness_of(version == *other.version());
  }
  if (other.text() == nullptr) {
    return Likeness::different;
  }
  const auto parsed = units::Version::parse(*other.text());
  return likeness_of(parsed && *parsed == version);
}

Likeness list_equality(const Value::List& left, const Value::List& right) {
  if (left.size() != right.size()) {
    return Likeness::different;
  }
  Likeness result = Likeness::equal;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const Likeness same = equality(left[i], right[i]);
    if (same == Likeness::different) {
      return same;
    }
    if (same == Likeness::open) {
      result = same;
    }
  }
  return result;
}

Value open_value(const Value& left, const Value& right) {
  std::vector<std::string> needs;
  collect_needs(left, needs);
  collect_needs(right, needs);
  return Value::unknown(std::move(needs));
}

// The crash of an ordering that Python rejects; for lists, of the items that fail to compare.
Value comparison_refused(const Value& left, const Value& right, std::string_view sign) {
  if (left.list() != nullptr && right.list() != nullptr) {
    const auto differing =
        std::mismatch(left.list()->begin(),
                      left.list()->end(),
                      right.list()->begin(),
                      [](const Value& a, const Value& b) { return a.equals(b); });
    return comparison_refused(*differing.first, *differing.second, sign);
  }
  const bool about_version = left.version() != nullptr || right.version() != nullptr;
  const Value& text = left.text() != nullptr ? left : right;
  if (about_version && text.text() != nullptr) {
    return Value::crash(fmt::format("InvalidVersion: '{}'", *text.text()));
  }
  return Value::crash(
      fmt::format("TypeError: '{}' between {} and {}", sign, type_word(left), type_word(right)));
}

Value in_list(const Value& item, const Value& list) {
  bool open = false;
  for (const Value& candidate : *list.list()) {
    const Likeness same = equality(item, candidate);
    if (same == Likeness::equal) {
      return Value::of(true);
    }
    open = open || same == Likeness::open;
  }
  return open ? open_value(item, list) : Value::of(false);
}

}  // namespace

Likeness equality(const Value& left, const Value& right) {
  if (left.is_unknown() || right.is_unknown()) {
    return Likeness::open;
  }
  if (left.is_number() || right.is_number()) {
    return likeness_of(left.is_number() && right.is_number() &&
                       order_numbers(left, right) == Order::equal);
  }
  if (left.version() != nullptr) {
    return version_equality(*left.version(), right);
  }
  if (right.version() != nullptr) {
    return version_equality(*right.version(), left);
  }
  if (left.text() != nullptr && right.text() != nullptr) {
    return likeness_of(*left.text() == *right.text());
  }
  if (left.list() != nullptr && right.list() != nullptr) {
    return list_equality(*left.list(), *right.list());
  }
  return likeness_of(left.is_unset() && right.is_unset());
}

Order order(const Value& left, const Value& right) {
  if (left.is_unknown() || right.is_unknown()) {
    return Order::open;
  }
  if (left.is_number() && right.is_number()) {
    return order_numbers(left, right);
  }
  if (left.version() != nullptr) {
    return order_version_with(*left.version(), right);
  }
  if (right.version() != nullptr) {
    return mirrored(order_version_with(*right.version(), left));
  }
  if (left.text() != nullptr && right.text() != nullptr) {
    const int difference = left.text()->compare(*right.text());
    return from_difference(difference < 0, difference == 0);
  }
  if (left.list() != nullptr && right.list() != nullptr) {
    return order_lists(*left.list(), *right.list());
  }
  return Order::refused;
}

void collect_needs(const Value& value, std::vector<std::string>& needs) {
  if (const Unknown* unknown = value.unknown()) {
    needs.insert(needs.end(), unknown->needs.begin(), unknown->needs.end());
  } else if (const Value::List* list = value.list()) {
    for (const Value& item : *list) {
      collect_needs(item, needs);
    }
  }
}

bool holds_unknown(const Value& value) {
  if (value.is_unknown()) {
    return true;
  }
  const Value::List* list = value.list();
  return list != nullptr && std::any_of(list->begin(), list->end(), holds_unknown);
}

Value ordering_value(const Value& left, const Value& right, std::string_view sign) {
  const Order result = order(left, right);
  if (result == Order::open) {
    return open_value(left, right);
  }
  if (result == Order::refused) {
    return comparison_refused(left, right, sign);
  }
  const bool strict = sign.size() == 1;
  const Order wanted = sign.front() == '<' ? Order::less : Order::greater;
  return Value::of(result == wanted || (!strict && result == Order::equal));
}

Value in_value(const Value& left, const Value& right) {
  if (right.list() != nullptr) {
    return in_list(left, right);
  }
  const std::string* text = right.text();
  if (text != nullptr && left.text() != nullptr) {
    return Value::of(text->find(*left.text()) != std::string::npos);
  }
  if (text != nullptr) {
    return Value::crash(
        fmt::format("TypeError: 'in' on a text needs a text on the left, not {}", type_word(left)));
  }
  return Value::crash(
      fmt::format("TypeError: 'in' needs a list or a text on the right, not {}", type_word(right)));
}

}  // namespace epwise::expr
