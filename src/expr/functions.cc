#include "expr/functions.h"

#include <algorithm>

#include "expr/builtins.h"

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
    Function{"abs", 1, 1, "number", "distance from zero: abs(-2) → 2", kReal, builtin::absolute, {kReal}},
    Function{"ceil_div", 2, 2, "a, b", "a / b rounded up: ceil_div(9, 8) → 2", kReal, builtin::ceil_div, {kReal, kReal}},
    Function{"contains", 2, 2, "whole, part", "part in whole, false when whole is null: contains(null, \"a\") → false", Kind::boolean, builtin::contains},
    Function{"count", 2, 2, "whole, part", "how often an item is in a list or a text in a text: count(\"Ett\", \"t\") → 2", kInteger, builtin::count},
    Function{"divides", 2, 2, "a, b", "b is a multiple of a: divides(8, 64) → true", Kind::boolean, builtin::divides, {kReal, kReal}},
    Function{"divisors", 1, 1, "number", "all that divide an integer from 1 to 2^24, in ascending order: divisors(12) → [1, 2, 3, 4, 6, 12]", kList, builtin::divisors, {kInteger}},
    Function{"ends_with", 2, 2, "text, end", "false when text is null: ends_with(\"nemo.tar\", \".tar\") → true", Kind::boolean, builtin::ends_with, {kText, kText}},
    Function{"floor", 1, 1, "number", "rounded down to an integer: floor(2.5) → 2", kInteger, builtin::floor, {kReal}},
    Function{"frequency", 2, 2, "value, layers", "a layer frequency as a list of 0 and 1: frequency(2, 4) → [1, 0, 1, 0]", kList, builtin::frequency, {kAny, kInteger}},
    Function{"int", 1, 1, "value", "Python's int(): int(\" 8 \") → 8; a crash where that raises", kInteger, builtin::integer},
    Function{"is_bool", 1, 1, "value", "a boolean: is_bool(\"true\") → false", Kind::boolean, builtin::is_bool, {}, true},
    Function{"is_int", 1, 1, "value", "an integer, a boolean, or a text that int() accepts: is_int(\"8\") → true", Kind::boolean, builtin::is_int, {}, true},
    Function{"is_list", 1, 1, "value", "a list: is_list([]) → true", Kind::boolean, builtin::is_list, {}, true},
    Function{"is_number", 1, 1, "value", "an integer, a real or a boolean: is_number(\"8\") → false", Kind::boolean, builtin::is_number, {}, true},
    Function{"is_text", 1, 1, "value", "a text: is_text(\"false\") → true", Kind::boolean, builtin::is_text, {}, true},
    Function{"item", 2, 2, "list, index", "one item, counted from 0, from the end when negative: item([4, 5], -1) → 5", kAny, builtin::item, {kList, kInteger}},
    Function{"join", 2, 2, "list, separator", "texts made one: join([\"a\", \"b\"], \"|\") → \"a|b\"", kText, builtin::join, {kList, kText}},
    Function{"layout_counts", 1, 1, "layout", "the layers of each pipeline stage: layout_counts(\"E,t*2|tL\") → [\"Ett\", \"tL\"]", kList, builtin::layout_counts},
    Function{"layout_stages", 1, 2, "layout, [pp]", "number of stages, with pp those of each rank (null when uneven): layout_stages(\"Et|t|t|tL\", 2) → 2", kInteger, builtin::layout_stages, {kAny, kInteger}},
    Function{"layout_valid", 1, 1, "layout", "every letter is a layer: layout_valid(\"E|t|x\") → false", Kind::boolean, builtin::layout_valid},
    Function{"len", 1, 1, "value", "items of a list, letters of a text: len([1, 2]) → 2", kInteger, builtin::length, {}, true},
    Function{"like", 2, 2, "text, pattern", "the whole text fits, * stands for any letters, false when text is null: like(\"gb200\", \"gb*\") → true", Kind::boolean, builtin::like, {kText, kText}},
    Function{"lower", 1, 1, "text", "A to Z made small: lower(\"NVLS\") → \"nvls\"", kText, builtin::lower, {kText}},
    Function{"max", 1, kMany, "list or values", "the greatest: max(4, 2 * 8) → 16", kAny, builtin::maximum},
    Function{"min", 1, kMany, "list or values", "the least: min([3, 1, 2]) → 1", kAny, builtin::minimum},
    Function{"pad_to", 2, 2, "a, b", "a rounded up to a multiple of b: pad_to(100, 64) → 128", kReal, builtin::pad_to, {kReal, kReal}},
    Function{"product", 1, kMany, "list or values", "all multiplied: product([2, 3, 4]) → 24", kReal, builtin::product},
    Function{"sorted", 1, 1, "list", "in ascending order: sorted([2, 1]) → [1, 2]", kList, builtin::sorted, {kList}},
    Function{"split", 1, 2, "text, [separator]", "Python's split, at blanks without a separator: split(\"a,b\", \",\") → [\"a\", \"b\"]", kList, builtin::split, {kText, kText}},
    Function{"starts_with", 2, 2, "text, start", "false when text is null: starts_with(\"NVIDIA B200\", \"NVIDIA\") → true", Kind::boolean, builtin::starts_with, {kText, kText}},
    Function{"strip", 1, 1, "text", "without blanks around it: strip(\" a \") → \"a\"", kText, builtin::strip, {kText}},
    Function{"sum", 1, kMany, "list or values", "all added: sum([2, 3, 4]) → 9", kReal, builtin::sum},
    Function{"text", 1, 1, "value", "Python's str(): text(true) → \"True\", text(null) → \"None\"", kText, builtin::text},
    Function{"truthy", 1, 1, "value", "Python's truth: truthy(\"false\") → true, truthy([]) → false", Kind::boolean, builtin::truthy, {}, true},
    Function{"unique", 1, 1, "list", "the first of equal items: unique([1, 2, 1]) → [1, 2]", kList, builtin::unique, {kList}},
    Function{"version_of", 1, 1, "text", "a text as a version, null stays null: version_of(\"2.9.0\") >= v\"2.8\" → true", Kind::version, builtin::version_of},
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
