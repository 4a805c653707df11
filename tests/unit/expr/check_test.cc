#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "expr/expression.h"

namespace epwise::expr {

namespace {

const std::map<std::string, std::string, std::less<>> kDeclared = {
    {"model.num_layers", "int"},
    {"model.hidden_size", "int"},
    {"model.moe_grouped_gemm", "bool"},
    {"model.backend", "text"},
    {"model.modules", "list"},
    {"model.cp_comm_type", "any"},
    {"d.bubble", "number"},
    {"stack.te", "version"},
    {"hw.cc", "number"},
    {"hw.hbm", "number bytes"},
    {"hw.nvlink", "number bytes/s"},
    {"hw.latency", "number seconds"},
    {"hw.peak", "number FLOP/s"},
    {"hw.clock", "number hertz"},
    {"m.bytes", "int bytes"},
};

Scope scope() {
  return {.type_of =
              [](std::string_view name) {
                const auto found = kDeclared.find(name);
                return found == kDeclared.end() ? std::nullopt : parse_type(found->second);
              },
          .candidates =
              [] {
                std::vector<std::string_view> names;
                for (const auto& declared : kDeclared) {
                  names.emplace_back(declared.first);
                }
                return names;
              }};
}

struct CheckRow {
  std::string text;
  std::string problems;
};

// Every problem with its range: "[model.x] there is no …".
std::string judged(std::string_view text, Kind wanted) {
  Names names;
  const Parsed parsed = parse(text, names);
  REQUIRE_MESSAGE(parsed.problems.empty(), parsed.problems.front().sentence);
  std::string result;
  for (const Problem& problem : check(parsed.expression, names, scope(), wanted)) {
    result += result.empty() ? "[" : "; [";
    result += text.substr(problem.begin, problem.end - problem.begin);
    result += "] " + problem.sentence;
  }
  return result;
}

void run_checks(const std::vector<CheckRow>& rows, Kind wanted = Kind::any) {
  for (const CheckRow& row : rows) {
    CAPTURE(row.text);
    CHECK(judged(row.text, wanted) == row.problems);
  }
}

}  // namespace

TEST_CASE("types are read") {
  CHECK(parse_type("bool") == Type{.kind = Kind::boolean});
  CHECK(parse_type("number bytes/s") ==
        Type{.kind = Kind::real, .dimension = units::Dimension::bytes_per_second});
  CHECK(parse_type("int bytes") ==
        Type{.kind = Kind::integer, .dimension = units::Dimension::bytes});
  for (const char* wrong : {"", "integer", "text bytes", "number metres", "number ", " int"}) {
    CAPTURE(std::string(wrong));
    CHECK(parse_type(wrong) == std::nullopt);
  }
  for (const Kind kind : {Kind::any,
                          Kind::boolean,
                          Kind::integer,
                          Kind::real,
                          Kind::text,
                          Kind::version,
                          Kind::list}) {
    CHECK(parse_type(to_string(kind)) == Type{.kind = kind});
  }
}

TEST_CASE("names must exist") {
  run_checks({
      {"model.num_layers > 1", ""},
      {"model.num_layer > 1",
       "[model.num_layer] unknown name `model.num_layer`, did you mean `model.num_layers`?"},
      {"1 + zzz", "[zzz] unknown name `zzz`"},
      {"explicit( model.num_layer )",
       "[model.num_layer] unknown name `model.num_layer`, did you mean `model.num_layers`?"},
      {"written(zzz) == origin(yyy)", "[zzz] unknown name `zzz`; [yyy] unknown name `yyy`"},
      {"model.modules.exists(x, x == zzz)", "[zzz] unknown name `zzz`"},
  });
}

TEST_CASE("what can never be right is refused") {
  run_checks({
      {"model.num_layers < \"8\"",
       "[model.num_layers < \"8\"] an integer and a text cannot be ordered"},
      {"model.backend < 3", "[model.backend < 3] a text and an integer cannot be ordered"},
      {"model.backend == 3", "[model.backend == 3] a text and an integer are never equal"},
      {"model.moe_grouped_gemm == \"true\"",
       "[model.moe_grouped_gemm == \"true\"] a boolean and a text are never equal"},
      {"model.moe_grouped_gemm == 1", ""},
      {"model.moe_grouped_gemm + 1", ""},
      {"model.backend == \"flex\"", ""},
      {"model.backend == null", ""},
      {"model.num_layers < null",
       "[model.num_layers < null] nothing is less or greater than null; compare with == or !="},
      {"model.cp_comm_type == 3 || model.cp_comm_type < \"a\"", ""},
      {"model.modules == 3", "[model.modules == 3] a list and an integer are never equal"},
      {"model.modules == []", ""},
      {"stack.te < v\"2.7.0\"", ""},
      {"stack.te < \"2.7.0\"", ""},
      {"stack.te < \"main\"", "[stack.te < \"main\"] `main` is not a version"},
      {"stack.te < 2.7",
       "[stack.te < 2.7] a version and a number cannot be ordered; a version is written "
       "v\"2.7.0\""},
      {"stack.te == 2",
       "[stack.te == 2] a version and an integer are never equal; a version is written v\"2.7.0\""},
      {"stack.te + 1", "[stack.te + 1] `+` between a version and an integer is not defined"},
      {"model.backend + 1", "[model.backend + 1] `+` between a text and an integer is not defined"},
      {"model.backend + \"x\"", ""},
      {"model.backend * 2", ""},
      {"model.backend - \"x\"",
       "[model.backend - \"x\"] `-` between a text and a text is not defined"},
      {"model.modules + [1]", ""},
      {"model.modules + \"x\"",
       "[model.modules + \"x\"] `+` between a list and a text is not defined"},
      {"model.modules * model.modules",
       "[model.modules * model.modules] `*` between a list and a list is not defined"},
      {"null + 1", "[null + 1] `+` between null and an integer is not defined"},
      {"-model.backend", "[-model.backend] a text cannot be negated"},
      {"-null", "[-null] null cannot be negated"},
      {"1 in model.num_layers",
       "[model.num_layers] `in` needs a list or a text on the right, not an integer"},
      {"1 in null", "[null] `in` needs a list or a text on the right, not null"},
      {"1 in model.backend", "[1] only a text can be contained in a text, not an integer"},
      {"\"a\" in model.backend", ""},
      {"model.backend in [\"a\", null]", ""},
      {"model.backend in [\"a\", 1]", "[1] a text and an integer are never equal"},
      {"model.num_layers.exists(x, x > 1)",
       "[model.num_layers] exists, all and filter need a list, but this is an integer"},
      {"model.backend.exists(x, x == \"a\")", ""},
      {"null.all(x, x)", "[null] exists, all and filter need a list, but this is null"},
      {"sorted(model.num_layers)",
       "[model.num_layers] sorted takes sorted(list), but this is an integer"},
      {"starts_with(model.num_layers, \"a\")",
       "[model.num_layers] starts_with takes starts_with(text, start), but this is an integer"},
      {"item(model.modules, 0.5)", "[0.5] item takes item(list, index), but this is a number"},
      {"item(model.modules, max(1, 2))", ""},
      {"contains(null, 1)", ""},
      {"starts_with(null, \"a\")", ""},
      {"lower(null)", ""},
      {"(model.num_layers ? 1 : \"a\") + 1", ""},
      {"(model.num_layers ? \"b\" : \"a\") - 1",
       "[(model.num_layers ? \"b\" : \"a\") - 1] `-` between a text and an integer is not defined"},
      {"(model.num_layers ? null : \"a\") - 1",
       "[(model.num_layers ? null : \"a\") - 1] `-` between a text and an integer is not defined"},
      {"len(model.backend) < \"a\"",
       "[len(model.backend) < \"a\"] an integer and a text cannot be ordered"},
      {"(1 < 2) < \"a\"", "[(1 < 2) < \"a\"] a boolean and a text cannot be ordered"},
  });
}

TEST_CASE("units must agree") {
  run_checks({
      {"hw.hbm > 80 GiB", ""},
      {"hw.hbm > 80", "[hw.hbm > 80] the number has no unit, but the other side is in bytes"},
      {"hw.hbm > 0", ""},
      {"hw.hbm > model.num_layers", ""},
      {"hw.hbm > 12 us", "[hw.hbm > 12 us] units differ: bytes and seconds"},
      {"hw.hbm + 12 us > 0", "[hw.hbm + 12 us] units differ: bytes and seconds"},
      {"hw.hbm / hw.nvlink < 12 us", ""},
      {"hw.hbm / hw.latency < 12 us",
       "[hw.hbm / hw.latency < 12 us] units differ: bytes/s and seconds"},
      {"hw.nvlink * hw.latency < 1 GB", ""},
      {"2 * hw.hbm < 1 GB", ""},
      {"hw.hbm * 2 < 1 s", "[hw.hbm * 2 < 1 s] units differ: bytes and seconds"},
      {"hw.hbm / 1 GiB < 80", ""},
      {"hw.clock * hw.latency > 3", ""},
      {"hw.latency * hw.peak > 1 TFLOP", ""},
      {"hw.hbm * hw.hbm > 1 s", ""},
      {"1 / hw.latency > 1 GHz", ""},
      {"-hw.hbm < 1 s", "[-hw.hbm < 1 s] units differ: bytes and seconds"},
      {"m.bytes % 1 KiB == 0", ""},
      {"m.bytes // 2 > 3",
       "[m.bytes // 2 > 3] the number has no unit, but the other side is in bytes"},
      {"max(hw.hbm, m.bytes) > 3", ""},
      {"(hw.cc > 9 ? 1 GiB : 2 GiB) > hw.latency",
       "[(hw.cc > 9 ? 1 GiB : 2 GiB) > hw.latency] units differ: bytes and seconds"},
      {"(hw.cc > 9 ? 1 GiB : 2 s) > hw.latency", ""},
      {"hw.hbm in [1 GiB, 2]", "[2] the number has no unit, but the other side is in bytes"},
  });
}

TEST_CASE("the result has the wanted kind") {
  run_checks({{"model.num_layers > 1", ""},
              {"model.moe_grouped_gemm", ""},
              {"model.cp_comm_type", ""},
              {"written(model.backend)", ""},
              {"explicit(model.backend)", ""},
              {"section(\"ddp\")", ""},
              {"model.num_layers",
               "[model.num_layers] this yields an integer, but a boolean is needed; compare it "
               "with something"},
              {"model.modules.filter(x, x)",
               "[model.modules.filter(x, x)] this yields a list, but a boolean is needed; compare "
               "it with something"},
              {"model.modules.all(x, x)", ""},
              {"origin(model.backend)",
               "[origin(model.backend)] this yields a text, but a boolean is needed; compare it "
               "with something"},
              {"zzz", "[zzz] unknown name `zzz`"}},
             Kind::boolean);
  run_checks({{"model.num_layers // 2", ""},
              {"pad_to(model.num_layers, 8)", ""},
              {"max(model.num_layers, 8) + 1", ""},
              {"model.num_layers > 1 ? 8 : null", ""},
              {"model.num_layers / 2",
               "[model.num_layers / 2] this yields a number, but an integer is needed"},
              {"0.5", "[0.5] this yields a number, but an integer is needed"},
              {"d.bubble", "[d.bubble] this yields a number, but an integer is needed"},
              {"true", "[true] this yields a boolean, but an integer is needed"}},
             Kind::integer);
  run_checks({{"model.num_layers", ""},
              {"d.bubble * 2", ""},
              {"\"a\"", "[\"a\"] this yields a text, but a number is needed"}},
             Kind::real);
  run_checks({{"stack.te", ""},
              {"version_of(model.backend)", ""},
              {"model.backend", "[model.backend] this yields a text, but a version is needed"}},
             Kind::version);
}

TEST_CASE("an empty expression has nothing wrong") {
  CHECK(check(Expression(), Names(), scope(), Kind::boolean).empty());
}

}  // namespace epwise::expr
