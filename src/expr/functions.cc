#include "expr/functions.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "base/text/wildcard.h"
#include "expr/arithmetic.h"
#include "expr/comparison.h"
#include "expr/layout_text.h"
#include "expr/python_text.h"

/// The functions of the rule language, one C++ function each; functions.cc has the table with
/// summaries.

namespace epwise::expr::builtin {

/// "TypeError: len of int": the result of a function for a value that it does not accept.
Value refuse(std::string_view function, const Value& argument);

// functions_number.cc
Value absolute(Arguments a);
Value ceil_div(Arguments a);
Value divides(Arguments a);
Value divisors(Arguments a);
Value floor(Arguments a);
Value integer(Arguments a);
Value is_bool(Arguments a);
Value is_int(Arguments a);
Value is_number(Arguments a);
Value pad_to(Arguments a);
Value truthy(Arguments a);

// functions_text.cc
Value ends_with(Arguments a);
Value is_text(Arguments a);
Value join(Arguments a);
Value like(Arguments a);
Value lower(Arguments a);
Value split(Arguments a);
Value starts_with(Arguments a);
Value strip(Arguments a);
Value text(Arguments a);
Value version_of(Arguments a);

// functions_list.cc
Value contains(Arguments a);
Value count(Arguments a);
Value is_list(Arguments a);
Value item(Arguments a);
Value length(Arguments a);
Value maximum(Arguments a);
Value minimum(Arguments a);
Value product(Arguments a);
Value sorted(Arguments a);
Value sum(Arguments a);
Value unique(Arguments a);

// functions_layout.cc
Value frequency(Arguments a);
Value layout_counts(Arguments a);
Value layout_stages(Arguments a);
Value layout_valid(Arguments a);

}  // namespace epwise::expr::builtin

namespace epwise::expr {

namespace {

constexpr int kMany = 64;
constexpr Kind kAny = Kind::any;
constexpr Kind kInteger = Kind::integer;
constexpr Kind kList = Kind::list;
constexpr Kind kReal = Kind::real;
constexpr Kind kText = Kind::text;

// clang-format off
constexpr std::array kFunctions = {
    Function{"abs", 1, 1, "number", "absolute value: abs(-2) → 2", kReal, builtin::absolute, {kReal}},
    Function{"ceil_div", 2, 2, "a, b", "a / b, rounded up: ceil_div(9, 8) → 2", kReal, builtin::ceil_div, {kReal, kReal}},
    Function{"contains", 2, 2, "whole, part", "part in whole; false if whole is null: contains(null, \"a\") → false", Kind::boolean, builtin::contains},
    Function{"count", 2, 2, "whole, part", "number of occurrences of an item in a list or of a text in a text: count(\"Ett\", \"t\") → 2", kInteger, builtin::count},
    Function{"divides", 2, 2, "a, b", "b is a multiple of a: divides(8, 64) → true", Kind::boolean, builtin::divides, {kReal, kReal}},
    Function{"divisors", 1, 1, "number", "all divisors of an integer from 1 to 2^24, in ascending order: divisors(12) → [1, 2, 3, 4, 6, 12]", kList, builtin::divisors, {kInteger}},
    Function{"ends_with", 2, 2, "text, end", "false if text is null: ends_with(\"nemo.tar\", \".tar\") → true", Kind::boolean, builtin::ends_with, {kText, kText}},
    Function{"floor", 1, 1, "number", "rounded down to an integer: floor(2.5) → 2", kInteger, builtin::floor, {kReal}},
    Function{"frequency", 2, 2, "value, layers", "a layer frequency as a list of 0 and 1: frequency(2, 4) → [1, 0, 1, 0]", kList, builtin::frequency, {kAny, kInteger}},
    Function{"int", 1, 1, "value", "Python's int(): int(\" 8 \") → 8; a crash if that raises", kInteger, builtin::integer},
    Function{"is_bool", 1, 1, "value", "a boolean: is_bool(\"true\") → false", Kind::boolean, builtin::is_bool, {}, true},
    Function{"is_int", 1, 1, "value", "an integer, a boolean, or a text that int() accepts: is_int(\"8\") → true", Kind::boolean, builtin::is_int, {}, true},
    Function{"is_list", 1, 1, "value", "a list: is_list([]) → true", Kind::boolean, builtin::is_list, {}, true},
    Function{"is_number", 1, 1, "value", "an integer, a real or a boolean: is_number(\"8\") → false", Kind::boolean, builtin::is_number, {}, true},
    Function{"is_text", 1, 1, "value", "a text: is_text(\"false\") → true", Kind::boolean, builtin::is_text, {}, true},
    Function{"item", 2, 2, "list, index", "one item, counted from 0, or from the end if negative: item([4, 5], -1) → 5", kAny, builtin::item, {kList, kInteger}},
    Function{"join", 2, 2, "list, separator", "texts concatenated: join([\"a\", \"b\"], \"|\") → \"a|b\"", kText, builtin::join, {kList, kText}},
    Function{"layout_counts", 1, 1, "layout", "the layers of each pipeline stage: layout_counts(\"E,t*2|tL\") → [\"Ett\", \"tL\"]", kList, builtin::layout_counts},
    Function{"layout_stages", 1, 2, "layout, [pp]", "number of stages; with pp, the stages per rank (null if uneven): layout_stages(\"Et|t|t|tL\", 2) → 2", kInteger, builtin::layout_stages, {kAny, kInteger}},
    Function{"layout_valid", 1, 1, "layout", "whether every letter is a layer: layout_valid(\"E|t|x\") → false", Kind::boolean, builtin::layout_valid},
    Function{"len", 1, 1, "value", "number of items of a list or letters of a text: len([1, 2]) → 2", kInteger, builtin::length, {}, true},
    Function{"like", 2, 2, "text, pattern", "whether the whole text matches; * matches any letters; false if text is null: like(\"gb200\", \"gb*\") → true", Kind::boolean, builtin::like, {kText, kText}},
    Function{"lower", 1, 1, "text", "A to Z in lower case: lower(\"NVLS\") → \"nvls\"", kText, builtin::lower, {kText}},
    Function{"max", 1, kMany, "list or values", "maximum: max(4, 2 * 8) → 16", kAny, builtin::maximum},
    Function{"min", 1, kMany, "list or values", "minimum: min([3, 1, 2]) → 1", kAny, builtin::minimum},
    Function{"pad_to", 2, 2, "a, b", "a, rounded up to a multiple of b: pad_to(100, 64) → 128", kReal, builtin::pad_to, {kReal, kReal}},
    Function{"product", 1, kMany, "list or values", "product of all: product([2, 3, 4]) → 24", kReal, builtin::product},
    Function{"sorted", 1, 1, "list", "in ascending order: sorted([2, 1]) → [1, 2]", kList, builtin::sorted, {kList}},
    Function{"split", 1, 2, "text, [separator]", "Python's split; without a separator, at blanks: split(\"a,b\", \",\") → [\"a\", \"b\"]", kList, builtin::split, {kText, kText}},
    Function{"starts_with", 2, 2, "text, start", "false if text is null: starts_with(\"NVIDIA B200\", \"NVIDIA\") → true", Kind::boolean, builtin::starts_with, {kText, kText}},
    Function{"strip", 1, 1, "text", "without leading and trailing blanks: strip(\" a \") → \"a\"", kText, builtin::strip, {kText}},
    Function{"sum", 1, kMany, "list or values", "sum of all: sum([2, 3, 4]) → 9", kReal, builtin::sum},
    Function{"text", 1, 1, "value", "Python's str(): text(true) → \"True\", text(null) → \"None\"", kText, builtin::text},
    Function{"truthy", 1, 1, "value", "Python's truth: truthy(\"false\") → true, truthy([]) → false", Kind::boolean, builtin::truthy, {}, true},
    Function{"unique", 1, 1, "list", "the first of equal items: unique([1, 2, 1]) → [1, 2]", kList, builtin::unique, {kList}},
    Function{"version_of", 1, 1, "text", "a text as a version; null stays null: version_of(\"2.9.0\") >= v\"2.8\" → true", Kind::version, builtin::version_of},
};
// clang-format on

static_assert(std::is_sorted(kFunctions.begin(),
                             kFunctions.end(),
                             [](const Function& a, const Function& b) { return a.name < b.name; }));

}  // namespace

std::span<const Function> functions() {
  return kFunctions;
}

int find_function(std::string_view name) {
  const auto* const found = std::lower_bound(
      kFunctions.begin(),
      kFunctions.end(),
      name,
      [](const Function& function, std::string_view wanted) { return function.name < wanted; });
  const bool known = found != kFunctions.end() && found->name == name;
  return known ? static_cast<int>(found - kFunctions.begin()) : -1;
}

}  // namespace epwise::expr

namespace epwise::expr::builtin {

namespace {

// Predicates of an unset text are false, so rules need no guard around each.
Value test_text(std::string_view function,
                Arguments a,
                bool (*test)(std::string_view text, std::string_view part)) {
  if (a[0]->is_unset()) {
    return Value::of(false);
  }
  if (a[0]->text() == nullptr || a[1]->text() == nullptr) {
    return refuse(function, a[0]->text() == nullptr ? *a[0] : *a[1]);
  }
  return Value::of(test(*a[0]->text(), *a[1]->text()));
}

bool is_like(std::string_view text, std::string_view pattern) {
  return text::matches_wildcards(pattern, text);
}

Value::List split_blanks(std::string_view text) {
  Value::List parts;
  for (text = stripped(text); !text.empty(); text = stripped(text)) {
    std::size_t end = 0;
    while (end < text.size() && !stripped(text.substr(end, 1)).empty()) {
      ++end;
    }
    parts.push_back(Value::of(text.substr(0, end)));
    text.remove_prefix(end);
  }
  return parts;
}

Value::List split_at(std::string_view text, std::string_view separator) {
  Value::List parts;
  std::size_t begin = 0;
  for (std::size_t at = text.find(separator); at != std::string_view::npos;
       at = text.find(separator, begin)) {
    parts.push_back(Value::of(text.substr(begin, at - begin)));
    begin = at + separator.size();
  }
  parts.push_back(Value::of(text.substr(begin)));
  return parts;
}

}  // namespace

Value ends_with(Arguments a) {
  return test_text("ends_with", a, [](std::string_view text, std::string_view part) {
    return text.ends_with(part);
  });
}

Value is_text(Arguments a) {
  return Value::of(a[0]->text() != nullptr);
}

Value join(Arguments a) {
  const Value::List* list = a[0]->list();
  const std::string* separator = a[1]->text();
  if (list == nullptr || separator == nullptr) {
    return refuse("join", list == nullptr ? *a[0] : *a[1]);
  }
  std::string joined;
  for (std::size_t i = 0; i < list->size(); ++i) {
    if ((*list)[i].text() == nullptr) {
      return refuse("join", (*list)[i]);
    }
    joined += i == 0 ? "" : *separator;
    joined += *(*list)[i].text();
    if (joined.size() > kMaxExtent) {
      return Value::crash(fmt::format("MemoryError: join makes more than {} bytes", kMaxExtent));
    }
  }
  return Value::of(std::move(joined));
}

Value like(Arguments a) {
  return test_text("like", a, is_like);
}

Value lower(Arguments a) {
  if (a[0]->text() == nullptr) {
    return refuse("lower", *a[0]);
  }
  std::string result = *a[0]->text();
  std::transform(result.begin(), result.end(), result.begin(), text::lower_letter);
  return Value::of(std::move(result));
}

Value split(Arguments a) {
  const std::string* content = a[0]->text();
  if (content == nullptr) {
    return refuse("split", *a[0]);
  }
  if (a.size() == 1 || a[1]->is_unset()) {
    return Value::of(split_blanks(*content));
  }
  if (a[1]->text() == nullptr) {
    return refuse("split", *a[1]);
  }
  if (a[1]->text()->empty()) {
    return Value::crash("ValueError: split with an empty separator");
  }
  return Value::of(split_at(*content, *a[1]->text()));
}

Value starts_with(Arguments a) {
  return test_text("starts_with", a, [](std::string_view text, std::string_view part) {
    return text.starts_with(part);
  });
}

Value strip(Arguments a) {
  if (a[0]->text() == nullptr) {
    return refuse("strip", *a[0]);
  }
  return Value::of(stripped(*a[0]->text()));
}

Value text(Arguments a) {
  return Value::of(python_text(*a[0]));
}

Value version_of(Arguments a) {
  const Value& value = *a[0];
  if (value.is_unset() || value.version() != nullptr) {
    return value;
  }
  if (value.text() == nullptr) {
    return refuse("version_of", value);
  }
  const auto version = units::Version::parse(*value.text());
  return version ? Value::of(*version)
                 : Value::crash(fmt::format("InvalidVersion: '{}'", *value.text()));
}

namespace {

// A whole real as an integer if it fits into 64 bits.
Value whole_number(double value, std::string_view function) {
  constexpr double kLimit = 9223372036854775808.0;
  if (!std::isfinite(value)) {
    return Value::crash(fmt::format("OverflowError: {} of {}", function, value));
  }
  if (value >= -kLimit && value < kLimit) {
    return Value::of(static_cast<std::int64_t>(value));
  }
  return Value::of(value);
}

}  // namespace

Value refuse(std::string_view function, const Value& argument) {
  return Value::crash(fmt::format("TypeError: {} of {}", function, type_word(argument)));
}

Value absolute(Arguments a) {
  const Value& value = *a[0];
  if (!value.is_number()) {
    return refuse("abs", value);
  }
  if (value.real() != nullptr) {
    return Value::of(std::fabs(*value.real()));
  }
  return value.as_number() < 0 ? negate(value) : add(value, Value::of(0));
}

Value ceil_div(Arguments a) {
  Value floor = floor_divide(negate(*a[0]), *a[1]);
  return floor.is_crash() ? floor : negate(floor);
}

Value divides(Arguments a) {
  Value remainder = modulo(*a[1], *a[0]);
  return remainder.is_crash() ? remainder : Value::of(!remainder.truthy());
}

Value divisors(Arguments a) {
  constexpr std::int64_t kMost = 1 << 24;  // of ranks, layers or experts; limits the search
  const std::int64_t* whole = a[0]->integer();
  if (whole == nullptr) {
    return refuse("divisors", *a[0]);
  }
  if (*whole < 1 || *whole > kMost) {
    return Value::crash(fmt::format("ValueError: divisors of {}", *whole));
  }
  Value::List below;
  Value::List above;
  for (std::int64_t n = 1; n * n <= *whole; ++n) {
    if (*whole % n == 0) {
      below.push_back(Value::of(n));
      if (n * n < *whole) {
        above.push_back(Value::of(*whole / n));
      }
    }
  }
  below.insert(below.end(), above.rbegin(), above.rend());
  return Value::of(std::move(below));
}

Value floor(Arguments a) {
  const Value& value = *a[0];
  if (!value.is_number()) {
    return refuse("floor", value);
  }
  return value.real() == nullptr ? add(value, Value::of(0))
                                 : whole_number(std::floor(*value.real()), "floor");
}

Value integer(Arguments a) {
  const Value& value = *a[0];
  if (value.text() != nullptr) {
    const std::optional<Value> number = python_int(*value.text());
    return number ? *number : Value::crash(fmt::format("ValueError: int of '{}'", *value.text()));
  }
  if (!value.is_number()) {
    return refuse("int", value);
  }
  return value.real() == nullptr ? add(value, Value::of(0))
                                 : whole_number(std::trunc(*value.real()), "int");
}

Value is_bool(Arguments a) {
  return Value::of(a[0]->boolean() != nullptr);
}

Value is_int(Arguments a) {
  const Value& value = *a[0];
  if (value.text() != nullptr) {
    return Value::of(python_int(*value.text()).has_value());
  }
  return Value::of(value.integer() != nullptr || value.boolean() != nullptr);
}

Value is_number(Arguments a) {
  return Value::of(a[0]->is_number());
}

Value pad_to(Arguments a) {
  Value steps = ceil_div(a);
  return steps.is_crash() ? steps : multiply(steps, *a[1]);
}

Value truthy(Arguments a) {
  return Value::of(a[0]->truthy());
}

namespace {

std::int64_t letter_count(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  });
}

std::int64_t occurrences(std::string_view text, std::string_view part) {
  if (part.empty()) {
    return letter_count(text) + 1;
  }
  std::int64_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++found;
  }
  return found;
}

// The values to choose among: the items of a single list, or the arguments themselves.
std::vector<const Value*> choices(Arguments a) {
  std::vector<const Value*> result;
  if (a.size() == 1 && a[0]->list() != nullptr) {
    for (const Value& value : *a[0]->list()) {
      result.push_back(&value);
    }
    return result;
  }
  result.assign(a.begin(), a.end());
  return result;
}

// The first of the least (sign "<") or greatest (">") values.
Value extreme(std::string_view function, std::string_view sign, Arguments a) {
  if (a.size() == 1 && a[0]->list() == nullptr) {
    return refuse(function, *a[0]);
  }
  const std::vector<const Value*> values = choices(a);
  if (values.empty()) {
    return Value::crash(fmt::format("ValueError: {} of an empty list", function));
  }
  const Value* best = values.front();
  for (const Value* value : values) {
    if (value == best) {
      continue;
    }
    Value better = ordering_value(*value, *best, sign);
    if (better.is_crash()) {
      return better;
    }
    best = better.truthy() ? value : best;
  }
  return *best;
}

Value folded(Arguments a, Value start, Value (*combine)(const Value&, const Value&)) {
  for (const Value* value : choices(a)) {
    start = combine(start, *value);
    if (start.is_crash()) {
      break;
    }
  }
  return start;
}

}  // namespace

Value contains(Arguments a) {
  return a[0]->is_unset() ? Value::of(false) : in_value(*a[1], *a[0]);
}

Value count(Arguments a) {
  const Value& whole = *a[0];
  if (const Value::List* list = whole.list()) {
    return Value::of(static_cast<std::int64_t>(
        std::count_if(list->begin(), list->end(), [&a](const Value& candidate) {
          return candidate.equals(*a[1]);
        })));
  }
  if (whole.text() == nullptr || a[1]->text() == nullptr) {
    return refuse("count", whole.text() == nullptr ? whole : *a[1]);
  }
  return Value::of(occurrences(*whole.text(), *a[1]->text()));
}

Value is_list(Arguments a) {
  return Value::of(a[0]->list() != nullptr);
}

Value item(Arguments a) {
  const Value::List* list = a[0]->list();
  const std::int64_t* index = a[1]->integer();
  if (list == nullptr || index == nullptr) {
    return refuse("item", list == nullptr ? *a[0] : *a[1]);
  }
  const auto size = static_cast<std::int64_t>(list->size());
  if (*index >= size || *index < -size) {
    return Value::crash(fmt::format("IndexError: item {} of a list of {}", *index, size));
  }
  return (*list)[static_cast<std::size_t>(*index < 0 ? *index + size : *index)];
}

Value length(Arguments a) {
  if (a[0]->text() != nullptr) {
    return Value::of(letter_count(*a[0]->text()));
  }
  const Value::List* list = a[0]->list();
  return list == nullptr ? refuse("len", *a[0])
                         : Value::of(static_cast<std::int64_t>(list->size()));
}

Value maximum(Arguments a) {
  return extreme("max", ">", a);
}

Value minimum(Arguments a) {
  return extreme("min", "<", a);
}

Value product(Arguments a) {
  return folded(a, Value::of(1), multiply);
}

Value sorted(Arguments a) {
  if (a[0]->list() == nullptr) {
    return refuse("sorted", *a[0]);
  }
  Value::List items = *a[0]->list();
  Value failure;
  std::stable_sort(items.begin(), items.end(), [&failure](const Value& left, const Value& right) {
    Value less = ordering_value(left, right, "<");
    if (!less.is_crash()) {
      return less.truthy();
    }
    failure = std::move(less);
    return false;
  });
  return failure.is_crash() ? failure : Value::of(std::move(items));
}

Value sum(Arguments a) {
  return folded(a, Value::of(0), add);
}

Value unique(Arguments a) {
  if (a[0]->list() == nullptr) {
    return refuse("unique", *a[0]);
  }
  // Items are compared one by one, because a list may contain values of any type.
  constexpr std::size_t kMaxItems = 4096;
  if (a[0]->list()->size() > kMaxItems) {
    return Value::crash(fmt::format("MemoryError: unique of more than {} items", kMaxItems));
  }
  Value::List items;
  for (const Value& value : *a[0]->list()) {
    const bool known = std::any_of(items.begin(), items.end(), [&value](const Value& earlier) {
      return earlier.equals(value);
    });
    if (!known) {
      items.push_back(value);
    }
  }
  return Value::of(std::move(items));
}

namespace {

constexpr std::int64_t kMaxLayers = 65536;

Value pattern(std::int64_t every, std::int64_t layers) {
  if (every == 0) {
    return Value::crash("ZeroDivisionError: frequency 0");
  }
  if (layers > kMaxLayers) {
    return Value::crash(fmt::format("MemoryError: frequency of {} layers", layers));
  }
  Value::List list;
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    list.push_back(Value::of(layer % every == 0 ? 1 : 0));
  }
  return Value::of(std::move(list));
}

// Megatron-LM reads a text with a bracket as a list and any other as a number.
std::optional<Value> from_text(std::string_view text) {
  return text.find('[') != std::string_view::npos ? evaluate_list_text(text) : python_int(text);
}

}  // namespace

Value frequency(Arguments a) {
  Value value = *a[0];
  if (value.text() != nullptr) {
    const std::optional<Value> read = from_text(*value.text());
    if (!read) {
      return Value::crash(fmt::format("ValueError: '{}' is not a layer frequency", *value.text()));
    }
    value = *read;
  }
  if (value.list() != nullptr) {
    return value;
  }
  const bool whole = value.integer() != nullptr || value.boolean() != nullptr;
  if (!whole || a[1]->integer() == nullptr) {
    return refuse("frequency", whole ? *a[1] : value);
  }
  return pattern(static_cast<std::int64_t>(value.as_number()), *a[1]->integer());
}

Value layout_counts(Arguments a) {
  const std::optional<Layout> layout = read_layout(*a[0]);
  if (!layout) {
    return refuse("layout_counts", *a[0]);
  }
  if (!layout->problem.empty()) {
    return Value::crash("AssertionError: " + layout->problem);
  }
  Value::List stages;
  for (const std::string& stage : layout->stages) {
    stages.push_back(Value::of(stage));
  }
  return Value::of(std::move(stages));
}

Value layout_stages(Arguments a) {
  Value stages = layout_counts(a.first(1));
  if (stages.is_crash()) {
    return stages;
  }
  Value total = Value::of(static_cast<std::int64_t>(stages.list()->size()));
  if (a.size() == 1) {
    return total;
  }
  Value remainder = modulo(total, *a[1]);
  if (remainder.is_crash()) {
    return remainder;
  }
  return remainder.truthy() ? Value::unset() : floor_divide(total, *a[1]);
}

Value layout_valid(Arguments a) {
  const std::optional<Layout> layout = read_layout(*a[0]);
  return Value::of(layout && layout->problem.empty());
}

}  // namespace epwise::expr::builtin
