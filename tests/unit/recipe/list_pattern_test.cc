#include <string>

#include <doctest/doctest.h>

#include "recipe/arguments/flag_values.h"

namespace epwise::recipe {
namespace {

std::string shown_pattern(const std::string& text) {
  const Pattern pattern = evaluate_pattern(text);
  return pattern.problem.empty() ? pattern.value.to_text() : (pattern.crash ? "crash" : "refused");
}

TEST_CASE("list patterns are Python expressions over integers and lists") {
  CHECK(shown_pattern("([0]*3+[1]*2)") == "[0, 0, 0, 1, 1]");
  CHECK(shown_pattern("[0]+[1]*7") == "[0, 1, 1, 1, 1, 1, 1, 1]");
  CHECK(shown_pattern("([0]*1+[1]*3)*2") == "[0, 1, 1, 1, 0, 1, 1, 1]");
  CHECK(shown_pattern("2*[1]") == "[1, 1]");
  CHECK(shown_pattern("[1,]") == "[1]");
  CHECK(shown_pattern("[[0]*2]*2") == "[[0, 0], [0, 0]]");
  CHECK(shown_pattern("[0],[1]") == "[[0], [1]]");
  CHECK(shown_pattern("[0]*2**3") == "[0, 0, 0, 0, 0, 0, 0, 0]");
  CHECK(shown_pattern("[2+3*4]") == "[14]");
  CHECK(shown_pattern("[0]*+2") == "[0, 0]");
  CHECK(shown_pattern("[7,8,9][1]") == "8");
  CHECK(shown_pattern("[]") == "[]");
  CHECK(shown_pattern("[00]") == "[0]");
}

TEST_CASE("what Python refuses is refused, and what it can't parse kills the program") {
  CHECK(shown_pattern("[a]*8") == "refused");
  CHECK(shown_pattern("[0] + [1]") == "refused");
  CHECK(shown_pattern("[0]+1") == "refused");
  CHECK(shown_pattern("[0]*[1]") == "refused");
  CHECK(shown_pattern("[0](1)") == "refused");
  CHECK(shown_pattern("[0]**2") == "refused");
  CHECK(shown_pattern("") == "refused");
  CHECK(shown_pattern("[0") == "crash");
  CHECK(shown_pattern("[0]*") == "crash");
  CHECK(shown_pattern("[0]]") == "crash");
  CHECK(shown_pattern("[01]") == "crash");
  CHECK(shown_pattern("[0][3]") == "crash");
}

TEST_CASE("hostile patterns end soon") {
  CHECK(shown_pattern("[0]*999999999") == "refused");
  CHECK(shown_pattern("[0]*10**10**10") == "refused");
  CHECK(shown_pattern("[[[0]*300]*300]*300") == "refused");
  CHECK(shown_pattern("[9999999999999999999999]") == "refused");
  CHECK(shown_pattern(std::string(10'000, '[')) == "refused");
  CHECK(shown_pattern(std::string(10'000, '(')) == "refused");
  CHECK(shown_pattern(std::string(10'000, '+') + "1") == "refused");
}

}  // namespace
}  // namespace epwise::recipe
