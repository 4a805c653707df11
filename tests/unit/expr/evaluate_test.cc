#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "expr/expression.h"
#include "unit/expr/map_environment.h"

namespace epwise::expr {

namespace {

struct ValueRow {
  std::string expression;
  std::string expected;
};

void fill(MapEnvironment& environment) {
  environment.set("yes", Value::of(true));
  environment.set("no", Value::of(false));
  environment.set("two", Value::of(2));
  environment.set("half", Value::of(0.5));
  environment.set("name", Value::of("deepep"));
  environment.set("list", Value::of(Value::List{Value::of("attn"), Value::of("moe")}));
  environment.set("mixed", Value::of(Value::List{Value::of(1), Value::unknown({"u"})}));
  environment.set("te", Value::of(*units::Version::parse("2.6.0a0+ecf3bae")));
  environment.set("u", Value::unknown({"u"}));
  environment.set("w", Value::unknown({"w"}));
  environment.set("boom", Value::crash("TypeError: boom"));
  environment.set("biggest", Value::of(std::int64_t{9223372036854775807}));
  environment.set("nan", Value::of(std::numeric_limits<double>::quiet_NaN()));
  environment.written_names = {"two"};
  environment.sections = {"comm_overlap"};
}

// As `python_text`-like as a table wants: texts in quotes, unknowns with their needs.
std::string shown_value(const Value& value) {
  if (const std::string* text = value.text()) {
    return "\"" + *text + "\"";
  }
  if (const Unknown* unknown = value.unknown()) {
    std::string needs = "unknown:";
    for (const std::string& need : unknown->needs) {
      needs += " " + need;
    }
    return needs;
  }
  if (const Value::List* list = value.list()) {
    std::string items;
    for (const Value& item : *list) {
      items += (items.empty() ? "" : ", ") + shown_value(item);
    }
    return "[" + items + "]";
  }
  if (value.version() != nullptr) {
    return "v" + value.to_text();
  }
  return value.to_text();
}

void run_values(const std::vector<ValueRow>& rows) {
  Names names;
  MapEnvironment environment(names);
  fill(environment);
  for (const ValueRow& row : rows) {
    CAPTURE(row.expression);
    const Parsed parsed = parse(row.expression, names);
    REQUIRE_MESSAGE(parsed.problems.empty(), parsed.problems.front().sentence);
    CHECK(shown_value(evaluate(parsed.expression, environment)) == row.expected);
  }
}

}  // namespace

TEST_CASE("numbers behave as Python's") {
  run_values({
      {"1 + 2 * 3", "7"},
      {"(1 + 2) * 3", "9"},
      {"7 // 2", "3"},
      {"-7 // 2", "-4"},
      {"7 // -2", "-4"},
      {"-7 // -2", "3"},
      {"7 % 3", "1"},
      {"-7 % 3", "2"},
      {"7 % -3", "-2"},
      {"-7 % -3", "-1"},
      {"7 / 2", "3.5"},
      {"4 / 2", "2.0"},
      {"7.5 // 2", "3.0"},
      {"-7.5 // 2", "-4.0"},
      {"-7.5 % 2", "0.5"},
      {"7.5 % -2", "-0.5"},
      {"1 // 0.1", "9.0"},
      {"0.3 % 0.1", "0.09999999999999998"},
      {"true + 1", "2"},
      {"true + true", "2"},
      {"-true", "-1"},
      {"true * 3", "3"},
      {"10 % true", "0"},
      {"1 + 0.5", "1.5"},
      {"biggest + 1", "9.223372036854776e+18"},
      {"biggest * 2", "1.8446744073709552e+19"},
      {"-biggest - 2", "-9.223372036854776e+18"},
      {"(-biggest - 1) // -1", "9.223372036854776e+18"},
      {"(-biggest - 1) % -1", "0"},
      {"-(-biggest - 1)", "9.223372036854776e+18"},
      {"1 // 0", "ZeroDivisionError: '//' by zero"},
      {"1 / 0", "ZeroDivisionError: '/' by zero"},
      {"1 % 0.0", "ZeroDivisionError: '%' by zero"},
      {"1 / false", "ZeroDivisionError: '/' by zero"},
      {"null + 1", "TypeError: '+' between None and int"},
      {"1 + \"a\"", "TypeError: '+' between int and str"},
      {"-null", "TypeError: '-' of None"},
      {"-\"a\"", "TypeError: '-' of str"},
      {"\"a\" + 'b'", "\"ab\""},
      {"\"ab\" * 3", "\"ababab\""},
      {"2 * \"ab\"", "\"abab\""},
      {"\"ab\" * -1", "\"\""},
      {"[1] + [2, 3]", "[1, 2, 3]"},
      {"[0] * 3 + [1]", "[0, 0, 0, 1]"},
      {"[1] - [1]", "TypeError: '-' between list and list"},
      {"[1] * 0.5", "TypeError: '*' between list and float"},
      {"\"a\" * 100000", "MemoryError: '*' would produce more than 65536 items"},
      {"16 GiB", "17179869184"},
      {"450 GB/s", "450000000000"},
      {"0.5 GiB", "536870912.0"},
      {"16 GiB / 2", "8589934592.0"},
  });
}

TEST_CASE("comparisons behave as Python's") {
  run_values({
      {"1 == 1.0", "true"},
      {"1 == true", "true"},
      {"0 == false", "true"},
      {"1 == \"1\"", "false"},
      {"null == null", "true"},
      {"null == 0", "false"},
      {"null == false", "false"},
      {"\"a\" == \"a\"", "true"},
      {"[1, 2] == [1, 2]", "true"},
      {"[1, 2] == [1, 2.0]", "true"},
      {"[1] == [1, 2]", "false"},
      {"nan == nan", "false"},
      {"nan != nan", "true"},
      {"nan < 1", "false"},
      {"1 >= nan", "false"},
      {"9007199254740993 == 9007199254740992.0", "false"},
      {"9007199254740993 > 9007199254740992.0", "true"},
      {"9007199254740992.0 < 9007199254740993", "true"},
      {"1 < 2", "true"},
      {"2 <= 2", "true"},
      {"2 < 2.5", "true"},
      {"-1 > -2", "true"},
      {"true < 2", "true"},
      {"\"a\" < \"b\"", "true"},
      {"\"a\" < \"aa\"", "true"},
      {"\"Z\" < \"a\"", "true"},
      {"\"10\" < \"9\"", "true"},
      {"[1, 2] < [1, 3]", "true"},
      {"[1] < [1, 0]", "true"},
      {"[1, \"a\"] < [1, 2]", "TypeError: '<' between str and int"},
      {"null < 1", "TypeError: '<' between None and int"},
      {"1 >= null", "TypeError: '>=' between int and None"},
      {"null < null", "TypeError: '<' between None and None"},
      {"\"8\" > 1", "TypeError: '>' between str and int"},
      {"te < v\"2.6.0\"", "true"},
      {"te >= v\"2.6.0\"", "false"},
      {"te < \"2.6.0\"", "true"},
      {"\"2.6.0\" > te", "true"},
      {"te == v\"2.6.0a0+ecf3bae\"", "true"},
      {"v\"2.7\" == v\"2.7.0\"", "true"},
      {"v\"2.7\" == \"2.7.0\"", "true"},
      {"v\"2.7\" == \"main\"", "false"},
      {"v\"2.7\" < \"main\"", "InvalidVersion: 'main'"},
      {"v\"head\" > v\"99\"", "true"},
      {"null < v\"2.0\"", "false"},
      {"null >= v\"2.0\"", "false"},
      {"v\"2.0\" > null", "false"},
      {"null == v\"2.0\"", "false"},
      {"v\"2.0\" < 3", "TypeError: '<' between Version and int"},
      {"1 in [1, 2]", "true"},
      {"1.0 in [1, 2]", "true"},
      {"\"moe\" in list", "true"},
      {"\"mo\" in list", "false"},
      {"null in [null, 1]", "true"},
      {"\"eep\" in name", "true"},
      {"\"\" in name", "true"},
      {"1 in name", "TypeError: 'in' on a text needs a text on the left, not int"},
      {"1 in null", "TypeError: 'in' needs a list or a text on the right, not None"},
      {"1 in 2", "TypeError: 'in' needs a list or a text on the right, not int"},
  });
}

TEST_CASE("truth is Python's and gives booleans") {
  run_values({
      {"!null", "true"},
      {"!0", "true"},
      {"!0.0", "true"},
      {"!\"\"", "true"},
      {"![]", "true"},
      {"!\"false\"", "false"},
      {"![0]", "false"},
      {"!v\"1.0\"", "false"},
      {"2 && \"x\"", "true"},
      {"2 && \"\"", "false"},
      {"null || 0", "false"},
      {"null || [1]", "true"},
      {"2 ? \"a\" : \"b\"", "\"a\""},
      {"\"\" ? \"a\" : \"b\"", "\"b\""},
      {"no ? boom : 1", "1"},
      {"yes ? 1 : boom", "1"},
      {"no && boom", "false"},
      {"yes || boom", "true"},
      {"yes && boom", "TypeError: boom"},
      {"boom && no", "TypeError: boom"},
      {"boom || yes", "TypeError: boom"},
      {"!boom", "TypeError: boom"},
      {"boom ? 1 : 1", "TypeError: boom"},
      {"boom == 1", "TypeError: boom"},
      {"[1, boom]", "TypeError: boom"},
  });
}

TEST_CASE("unknowns stay unknown until something else decides") {
  run_values({
      {"u", "unknown: u"},
      {"u && no", "false"},
      {"no && u", "false"},
      {"u || yes", "true"},
      {"yes || u", "true"},
      {"u && yes", "unknown: u"},
      {"u && w", "unknown: u w"},
      {"w || u", "unknown: u w"},
      {"!u", "unknown: u"},
      {"u && boom", "unknown: u"},
      {"u || boom", "unknown: u"},
      {"u + boom", "unknown: u"},
      {"boom + u", "TypeError: boom"},
      {"u + w", "unknown: u w"},
      {"u == u", "unknown: u"},
      {"u < 1", "unknown: u"},
      {"u ? 1 : 1", "1"},
      {"u ? boom : boom", "unknown: u"},
      {"u ? w : 1", "unknown: u w"},
      {"yes ? 1 : u", "1"},
      {"1 in mixed", "true"},
      {"2 in mixed", "unknown: u"},
      {"u in [1, 2]", "unknown: u"},
      {"u in []", "false"},
      {"1 in [1, u]", "true"},
      {"1 in [u, boom]", "TypeError: boom"},
      {"u in [boom]", "unknown: u"},
      {"2 in [1, u]", "unknown: u"},
      {"u in name", "unknown: u"},
      {"[1, u]", "[1, unknown: u]"},
      {"[1, u] == [2, 3]", "false"},
      {"[1, u] == [1, 3]", "unknown: u"},
      {"[1, u] == [1]", "false"},
      {"[2, u] < [1, w]", "false"},
      {"[1, u] < [1, w]", "unknown: u w"},
      {"len(mixed)", "2"},
      {"max(mixed)", "unknown: u"},
      {"max(u, w)", "unknown: u w"},
      {"te < u", "unknown: u"},
  });
}

TEST_CASE("macros run over lists and the letters of texts") {
  run_values({
      {"list.exists(x, x == \"moe\")", "true"},
      {"list.exists(x, x == \"mlp\")", "false"},
      {"list.all(x, x in [\"attn\", \"moe\"])", "true"},
      {"[].exists(x, yes)", "false"},
      {"[].all(x, no)", "true"},
      {"[1, 2, 3].filter(x, x % 2 == 1)", "[1, 3]"},
      {"\"moe\".exists(x, x == \"o\")", "true"},
      {"\"moe\".filter(x, x > \"m\")", "[\"o\"]"},
      {"[3, 4].exists(x, [4, 5].exists(y, x == y))", "true"},
      {"[[1], [2]].filter(x, x.exists(y, y == 2))", "[[2]]"},
      {"mixed.exists(x, x == 1)", "true"},
      {"mixed.exists(x, x == 2)", "unknown: u"},
      {"mixed.all(x, x == 2)", "false"},
      {"mixed.all(x, x == 1)", "unknown: u"},
      {"mixed.filter(x, x == 1)", "unknown: u"},
      {"[1, null].exists(x, x > 0)", "true"},
      {"[null, 1].exists(x, x > 0)", "TypeError: '>' between None and int"},
      {"mixed.exists(x, x + null > 0)", "TypeError: '+' between int and None"},
      {"[u, null, 1].exists(x, x > 0)", "true"},
      {"[u, null].exists(x, x > 0)", "unknown: u"},
      {"null.exists(x, yes)", "TypeError: None is not a list"},
      {"u.exists(x, yes)", "unknown: u"},
      {"boom.exists(x, yes)", "TypeError: boom"},
      {"(list + [\"a\"]).exists(x, x == \"a\")", "true"},
  });
}

TEST_CASE("special forms ask about the field") {
  run_values({
      {"explicit(two)", "true"},
      {"explicit(half)", "false"},
      {"written(two)", "\"as written\""},
      {"written(half)", "null"},
      {"origin(two)", "\"written\""},
      {"origin(half)", "\"default\""},
      {"section(\"comm_overlap\")", "true"},
      {"section('ddp')", "false"},
  });
}

}  // namespace epwise::expr
