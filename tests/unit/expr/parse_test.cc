#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "expr/expression.h"
#include "unit/expr/same_tree.h"

namespace epwise::expr {

namespace {

struct PrintedRow {
  std::string text;
  std::string printed;
};

// The text with the problem's range between guillemets, then its sentence: "a »+« : …".
std::string shown_problems(std::string_view text, const std::vector<Problem>& problems) {
  if (problems.empty()) {
    return "no problem";
  }
  const Problem& problem = problems.front();
  return std::string(text.substr(0, problem.begin)) + "»" +
         std::string(text.substr(problem.begin, problem.end - problem.begin)) + "«" +
         std::string(text.substr(problem.end)) + " " + problem.sentence;
}

}  // namespace

TEST_CASE("the printed form has the fewest brackets and reads back as the same tree") {
  const std::vector<PrintedRow> rows = {
      {"1+2*3", "1 + 2 * 3"},
      {"(1+2)*3", "(1 + 2) * 3"},
      {"((1)+((2*3)))", "1 + 2 * 3"},
      {"1-(2-3)", "1 - (2 - 3)"},
      {"(1-2)-3", "1 - 2 - 3"},
      {"1-2-3", "1 - 2 - 3"},
      {"2*(3*4)", "2 * (3 * 4)"},
      {"8//3%2/5", "8 // 3 % 2 / 5"},
      {"-(-a)", "--a"},
      {"-a.b", "-a.b"},
      {"-(a+b)", "-(a + b)"},
      {"!a && !b", "!a && !b"},
      {"!(a && b)", "!(a && b)"},
      {"!(a in b)", "!(a in b)"},
      {"!a == b", "!a == b"},
      {"(!a) == b", "!a == b"},
      {"!(a == b)", "!(a == b)"},
      {"a || b && c", "a || b && c"},
      {"(a || b) && c", "(a || b) && c"},
      {"a || (b || c)", "a || (b || c)"},
      {"(a < b) == (c < d)", "(a < b) == (c < d)"},
      {"a < b + 1", "a < b + 1"},
      {"a == 1 && b != 2", "a == 1 && b != 2"},
      {"a ? b : c ? d : e", "a ? b : c ? d : e"},
      {"(a ? b : c) ? d : e", "(a ? b : c) ? d : e"},
      {"a ? b ? 1 : 2 : 3", "a ? b ? 1 : 2 : 3"},
      {"a ? b : (c ? d : e)", "a ? b : c ? d : e"},
      {"(a ? 1 : 2) + 3", "(a ? 1 : 2) + 3"},
      {"a || (b ? c : d)", "a || (b ? c : d)"},
      {"[]", "[]"},
      {"[ 1 ,[2,3], ]", "[1, [2, 3]]"},
      {"'a'", "\"a\""},
      {"\"a\\\"b\\\\c\\n\\t\\r'\"", "\"a\\\"b\\\\c\\n\\t\\r'\""},
      {"'it\\'s'", "\"it's\""},
      {"v'2.7.0'", "v\"2.7.0\""},
      {"8.0", "8.0"},
      {"0.5e-3", "0.0005"},
      {"1e22", "1e+22"},
      {"16GiB", "16 GiB"},
      {"16384 MiB", "16 GiB"},
      {"450 GB/s", "450 GB/s"},
      {"3.35 TB/s", "3.35 TB/s"},
      {"12 us", "12 us"},
      {"0.012 ms", "12 us"},
      {"1.5 s", "1.5 s"},
      {"2 s", "2 s"},
      {"0.5 GiB", "0.5 GiB"},
      {"1000 TFLOP/s", "1000 TFLOP/s"},
      {"1.98 GHz", "1.98 GHz"},
      {"8 in [8]", "8 in [8]"},
      {"16 GiB/2", "16 GiB / 2"},
      {"16 GiB / s.x", "16 GiB / s.x"},
      {"list.exists(item, item > 1)", "list.exists(x, x > 1)"},
      {"a.b.all(q, q in [1])", "a.b.all(x, x in [1])"},
      {"a.filter(p, b.exists(q, p == q))", "a.filter(x, b.exists(y, x == y))"},
      {"[1].filter(x, x > 1).exists(x, x > 2)", "[1].filter(x, x > 1).exists(x, x > 2)"},
      {"(a + b).all(x, x)", "(a + b).all(x, x)"},
      {"\"abc\".exists(x, x == 'a')", "\"abc\".exists(x, x == \"a\")"},
      {"(8).exists(x, x)", "(8).exists(x, x)"},
      {"true.exists(x, x)", "(true).exists(x, x)"},
      {"len(a).exists(z, z)", "len(a).exists(x, x)"},
      {"a.exists(v, v == x)", "a.exists(x_, x_ == x)"},
      {"a.exists(v, v == x.y)", "a.exists(x_, x_ == x.y)"},
      {"explicit( model.a )", "explicit(model.a)"},
      {"written(a.b) != a.b", "written(a.b) != a.b"},
      {"origin(a) == 'default'", "origin(a) == \"default\""},
      {"section('ddp')", "section(\"ddp\")"},
      {"max(1,2 , 3)", "max(1, 2, 3)"},
      {"model.all", "model.all"},
      {"explicit", "explicit"},
      {"v", "v"},
      {"x.exists(v, v)", "x.exists(x_, x_)"},
      {"in_flight", "in_flight"},
      {"true ? null : false", "true ? null : false"},
      {" a \n && \t b ", "a && b"},
  };
  for (const PrintedRow& row : rows) {
    CAPTURE(row.text);
    Names names;
    const Parsed parsed = parse(row.text, names);
    REQUIRE_MESSAGE(parsed.problems.empty(), shown_problems(row.text, parsed.problems));
    CHECK(to_text(parsed.expression, names) == row.printed);
    const Parsed again = parse(to_text(parsed.expression, names), names);
    CHECK(same_tree(parsed.expression, again.expression));
  }
}

TEST_CASE("mistakes are named where they stand") {
  const std::vector<PrintedRow> rows = {
      {"", "»« the expression ends too early; a value is missing"},
      {"1 +", "1 +»« the expression ends too early; a value is missing"},
      {"+ 1", "»+« 1 a value is missing before `+`"},
      {"a b", "a »b« unexpected `b` after the end of the expression"},
      {"(a", "(a»« `)` is missing to close the bracket"},
      {"a)", "a»)« unexpected `)` after the end of the expression"},
      {"[1, 2", "[1, 2»« `,` or `]` is missing"},
      {"[1 2]", "[1 »2«] `,` or `]` is missing"},
      {"a = 1", "a »=« 1 `=` is not allowed here; write == to compare"},
      {"a & b", "a »&« b `&` is not allowed here; write && for and"},
      {"a | b", "a »|« b `|` is not allowed here; write || for or"},
      {"a # b", "a »#« b `#` is not allowed here"},
      {"a == “b”", "a == »“«b” `“` is not allowed here; quote letters outside ASCII with \" or '"},
      {"\"abc", "»\"abc« the text is not closed; add \""},
      {"'a\\q'", "'a»\\q«' unknown escape; valid are \\n \\t \\r \\\\ \\\" \\'"},
      {"v\"main\"", "»v\"main\"« `main` is not a version; versions look like 2.7.0 or 2.9.0a0"},
      {"16 Gib", "16 »Gib« `Gib` is not a unit; units look like GiB, MB, GB/s, us, TFLOP/s or GHz"},
      {"8 model.x",
       "8 »model«.x `model` is not a unit; units look like GiB, MB, GB/s, us, TFLOP/s or GHz"},
      {"007", "»007« 007 starts with a zero; write 7"},
      {"99999999999999999999",
       "»99999999999999999999« the number 99999999999999999999 is too large"},
      {"1e999", "»1e999« the number 1e999 is too large"},
      {"1e301 GB", "»1e301 GB« the number 1e301 is too large in GB"},
      {"1 < a < 3", "1 < a »<« 3 comparisons do not chain; write a < b && b < c"},
      {"(a in b == c)", "(a in b »==« c) comparisons do not chain; write a == b && b == c"},
      {"a and b", "a »and« b write && for `and`"},
      {"a > 1 and b", "a > 1 »and« b write && for `and`"},
      {"8 or 16", "8 »or« 16 write || for `or`"},
      {"1 if a else 2", "1 »if« a else 2 write c ? a : b for `if`"},
      {"a or b", "a »or« b write || for `or`"},
      {"not a", "»not« a write ! for `not`"},
      {"not(a)", "»not«(a) write ! for `not`"},
      {"a not in b", "a »not« in b write ! for `not`"},
      {"a is None", "a »is« None write == for `is`"},
      {"None", "»None« write null for `None`"},
      {"True", "»True« write true for `True`"},
      {"lenght(a)", "»lenght«(a) unknown function `lenght`"},
      {"starts_wit(a, b)",
       "»starts_wit«(a, b) unknown function `starts_wit`, did you mean `starts_with`?"},
      {"explict(a)", "»explict«(a) unknown function `explict`, did you mean `explicit`?"},
      {"exists(x, a)", "»exists«(x, a) `exists` is called on a list: list.exists(x, …)"},
      {"len()", "»len()« len takes len(value), not 0 arguments"},
      {"len(a, b)", "»len(a, b)« len takes len(value), not 2 arguments"},
      {"divides(a)", "»divides(a)« divides takes divides(a, b), not 1 argument"},
      {"d.counts.get(a)",
       "»d.counts.get«(a) `d.counts.get` is not a function; only exists, all and filter can be "
       "called after a dot"},
      {"[1].map(x, x)",
       "[1].»map«(x, x) `map` cannot follow a dot here; exists, all and filter can"},
      {"a.exists(1, x)",
       "a.exists(»1«, x) exists takes a variable and a condition: list.exists(x, x > 1)"},
      {"a.exists(x.y, x)",
       "a.exists(»x.y«, x) exists takes a variable and a condition: list.exists(x, x > 1)"},
      {"a.exists(x)",
       "a.exists(x»)« `,` is missing between the variable and the condition of exists"},
      {"a.exists(x, x", "a.exists(x, x»« `)` is missing to close exists"},
      {"a.exists(x, x.y)", "a.exists(x, »x.y«) `x` is an item of a list and has no fields"},
      {"a.exists(x, b.exists(x, x))",
       "a.exists(x, b.exists(»x«, x)) `x` is already the variable of an enclosing macro"},
      {"explicit(1)", "explicit(»1«) explicit takes a field's name: explicit(model.num_layers)"},
      {"origin(len(a))", "origin(»len«(a)) origin takes a field's name: origin(model.num_layers)"},
      {"section(ddp)",
       "section(»ddp«) section takes a section's name in quotes: section(\"comm_overlap\")"},
      {"explicit(a, b)", "explicit(a»,« b) `)` is missing to close explicit"},
      {"a ? b", "a ? b»« `:` is missing after the first choice of `? :`"},
  };
  for (const PrintedRow& row : rows) {
    CAPTURE(row.text);
    Names names;
    const Parsed parsed = parse(row.text, names);
    CHECK(shown_problems(row.text, parsed.problems) == row.printed);
  }
}

TEST_CASE("all lexical mistakes are reported at once") {
  Names names;
  const Parsed parsed = parse("a = 3 Gib & 'x", names);
  CHECK(parsed.problems.size() == 4);
}

TEST_CASE("length and nesting are bounded") {
  Names names;
  const auto nested = [&names](int depth) {
    const auto size = static_cast<std::size_t>(depth);
    return parse(std::string(size, '(') + "1" + std::string(size, ')'), names).problems;
  };
  CHECK(nested(199).empty());
  REQUIRE(nested(200).size() == 1);
  CHECK(nested(200).front().sentence == "the expression is nested more than 200 deep");
  CHECK(nested(8000).size() == 1);
  CHECK(parse(std::string(8000, '-') + "1", names).problems.size() == 1);
  CHECK(parse(std::string(8000, '[') + "1", names).problems.size() == 1);

  std::string chain = "a";
  for (int i = 0; i < 198; ++i) {
    chain += " && a";
  }
  CHECK(parse(chain, names).problems.empty());
  CHECK(parse(chain + " && a && a", names).problems.size() == 1);

  const Parsed longest = parse("\"" + std::string(16382, 'x') + "\"", names);
  CHECK(longest.problems.empty());
  const Parsed longer = parse("\"" + std::string(16383, 'x') + "\"", names);
  REQUIRE(longer.problems.size() == 1);
  CHECK(longer.problems.front().sentence == "the expression is longer than 16384 bytes");

  std::string macros = "1";
  for (int i = 0; i < 9; ++i) {
    macros = "a.exists(x" + std::to_string(i) + ", " + macros + ")";
  }
  CHECK(parse(macros, names).problems.size() == 1);
}

TEST_CASE("an expression knows the names that it reads") {
  Names names;
  const Parsed parsed =
      parse("b + a && explicit(c.d) && b.exists(x, x == e) && section('f')", names);
  REQUIRE(parsed.problems.empty());
  std::string read;
  for (const auto slot : parsed.expression.names()) {
    read += std::string(names.name(slot)) + " ";
  }
  CHECK(read == "b a c.d e ");
  CHECK(names.size() == 4);
  CHECK(names.find("e") == epwise::expr::NameSlot(3));
  CHECK(names.find("x") == std::nullopt);
  CHECK_THROWS_AS(names.name(epwise::expr::NameSlot(4)), std::out_of_range);
  CHECK(names.slot("a") == names.find("a"));
}

TEST_CASE("nodes keep their range, brackets belong to the outer one") {
  const std::string text = "(a + b) * len( c )";
  Names names;
  const Expression expression = parse(text, names).expression;
  std::string ranges;
  for (const Node& node : expression.nodes) {
    ranges += "[" + text.substr(node.begin, node.end - node.begin) + "]";
  }
  CHECK(ranges == "[a][b][a + b][c][len( c )][(a + b) * len( c )]");
}

TEST_CASE("the cost bound counts nodes, macros as 64 rounds") {
  Names names;
  const auto cost = [&names](std::string_view text) {
    return cost_bound(parse(text, names).expression);
  };
  CHECK(cost("1") == 1);
  CHECK(cost("a + b * 2") == 5);
  CHECK(cost("a.exists(x, x > 1)") == 2 + 64 * 3);
  CHECK(
      cost("a.exists(x, b.exists(y, c.exists(z, a.exists(u, b.exists(v, c.exists(w, u > v))))))") ==
      std::numeric_limits<int>::max());
  CHECK(cost_bound(Expression()) == 0);
}

}  // namespace epwise::expr
