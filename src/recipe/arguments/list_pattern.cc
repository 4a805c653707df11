#include "recipe/arguments/list_pattern.h"

#include <cstdint>
#include <utility>

namespace epwise::recipe {
namespace {

using expr::Value;

constexpr int kMaxDepth = 64;
constexpr std::size_t kMaxEntries = 100'000;
constexpr std::int64_t kMaxInteger = std::int64_t{1} << 40;

std::size_t entries(const Value& value) {
  std::size_t sum = 1;
  if (const Value::List* list = value.list()) {
    for (const Value& item : *list) {
      sum += entries(item);
    }
  }
  return sum;
}

/// Recursive descent over Python's precedence: sum < product < sign < power < index < atom. After
/// the first problem nothing is left to read, so that every loop ends; the values made then mean
/// nothing.
class Evaluator {
 public:
  explicit Evaluator(std::string_view text) : text_(text) {}

  Pattern whole() {
    Value value = tuple(0);
    if (problem_.empty() && at_ != text_.size()) {
      syntax();
    }
    if (!problem_.empty()) {
      return {{}, problem_, crash_};
    }
    return {std::move(value)};
  }

 private:
  Value fail(std::string_view problem, bool crash = false) {
    if (problem_.empty()) {
      problem_ = problem;
      crash_ = crash;
    }
    at_ = text_.size();
    return {};
  }

  Value syntax() { return fail("is no valid list expression", true); }

  bool failed() const { return !problem_.empty(); }

  bool peek(std::string_view token) const { return text_.substr(at_, token.size()) == token; }

  bool accept(std::string_view token) {
    if (!peek(token)) {
      return false;
    }
    at_ += token.size();
    return true;
  }

  bool at_end_of_list() const { return at_ == text_.size() || peek(")") || peek("]"); }

  Value tuple(int depth) {
    Value first = sum(depth);
    if (!peek(",")) {
      return first;
    }
    Value::List items{std::move(first)};
    while (accept(",") && !at_end_of_list()) {
      items.push_back(sum(depth));
    }
    return Value::of(std::move(items));
  }

  Value sum(int depth) {
    Value left = product(depth);
    while (accept("+")) {
      left = add(left, product(depth));
    }
    return left;
  }

  Value product(int depth) {
    Value left = signed_power(depth);
    while (peek("*") && !peek("**")) {
      accept("*");
      left = multiply(left, signed_power(depth));
    }
    return left;
  }

  Value signed_power(int depth) {
    if (depth > kMaxDepth) {
      return fail("is nested too deeply");
    }
    if (accept("+")) {
      const Value value = signed_power(depth + 1);
      return value.list() != nullptr ? fail("puts a sign before a list") : value;
    }
    Value base = indexed(depth);
    if (!accept("**")) {
      return base;
    }
    return power(base, signed_power(depth + 1));
  }

  Value indexed(int depth) {
    Value value = atom(depth);
    while (peek("[") || peek("(")) {
      if (peek("(")) {
        return fail("calls something that is no function");
      }
      accept("[");
      value = index(value, tuple(depth + 1));
      if (!accept("]")) {
        return syntax();
      }
    }
    return value;
  }

  Value atom(int depth) {
    if (depth > kMaxDepth) {
      return fail("is nested too deeply");
    }
    if (accept("[")) {
      return list(depth);
    }
    if (!accept("(")) {
      return integer();
    }
    if (accept(")")) {
      return Value::of(Value::List{});
    }
    Value value = tuple(depth + 1);
    return accept(")") ? value : syntax();
  }

  Value list(int depth) {
    Value::List items;
    while (!accept("]")) {
      items.push_back(sum(depth + 1));
      if (!accept(",") && !peek("]")) {
        return syntax();
      }
    }
    return Value::of(std::move(items));
  }

  Value integer() {
    const std::size_t begin = at_;
    std::int64_t value = 0;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
      value = value * 10 + (text_[at_] - '0');
      if (value > kMaxInteger) {
        return fail("holds a number that is too large");
      }
      ++at_;
    }
    const bool leading_zero = at_ - begin > 1 && text_[begin] == '0' && value != 0;
    if (at_ == begin || leading_zero) {
      return syntax();
    }
    return Value::of(value);
  }

  Value add(const Value& left, const Value& right) {
    if (left.integer() != nullptr && right.integer() != nullptr) {
      return bounded(*left.integer() + *right.integer());
    }
    if (left.list() == nullptr || right.list() == nullptr) {
      return fail("adds a list and an integer");
    }
    if (entries(left) + entries(right) > kMaxEntries) {
      return fail("makes a list of more than 100,000 entries");
    }
    Value::List items = *left.list();
    items.insert(items.end(), right.list()->begin(), right.list()->end());
    return Value::of(std::move(items));
  }

  Value multiply(const Value& left, const Value& right) {
    if (left.integer() != nullptr && right.integer() != nullptr) {
      const bool fits = *left.integer() == 0 || *right.integer() <= kMaxInteger / *left.integer();
      return fits ? bounded(*left.integer() * *right.integer())
                  : fail("holds a number that is too large");
    }
    if (left.list() == nullptr && right.list() != nullptr) {
      return multiply(right, left);
    }
    if (left.list() == nullptr || right.integer() == nullptr) {
      return fail("multiplies two lists");
    }
    const auto times = static_cast<std::size_t>(*right.integer());
    if (times != 0 && entries(left) > kMaxEntries / times) {
      return fail("makes a list of more than 100,000 entries");
    }
    Value::List items;
    for (std::size_t i = 0; i < times; ++i) {
      items.insert(items.end(), left.list()->begin(), left.list()->end());
    }
    return Value::of(std::move(items));
  }

  Value power(const Value& base, const Value& exponent) {
    if (base.integer() == nullptr || exponent.integer() == nullptr) {
      return fail("raises a list to a power");
    }
    if (*base.integer() < 2 || *exponent.integer() == 0) {
      return Value::of(*exponent.integer() == 0 ? std::int64_t{1} : *base.integer());
    }
    Value result = base;
    for (std::int64_t i = 1; i < *exponent.integer() && !failed(); ++i) {
      result = multiply(result, base);
    }
    return result;
  }

  Value index(const Value& list, const Value& position) {
    if (list.list() == nullptr || position.integer() == nullptr) {
      return fail("takes an entry of something that is no list");
    }
    const auto at = static_cast<std::size_t>(*position.integer());
    return at < list.list()->size() ? (*list.list())[at]
                                    : fail("takes an entry behind the end of a list", true);
  }

  Value bounded(std::int64_t value) {
    return value <= kMaxInteger ? Value::of(value) : fail("holds a number that is too large");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string problem_;
  bool crash_ = false;
};

}  // namespace

Pattern evaluate_pattern(std::string_view text) {
  constexpr std::string_view kAllowed = ",0123456789[]()+*";
  if (text.empty() || text.find_first_not_of(kAllowed) != std::string_view::npos) {
    return {{}, "may hold only digits and , [ ] ( ) + *"};
  }
  return Evaluator(text).whole();
}

}  // namespace epwise::recipe
