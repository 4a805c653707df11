#include <string>

#include <doctest/doctest.h>

#include "recipe/arguments/model_args.h"

namespace epwise::recipe {
namespace {

std::optional<Binding> known(std::string_view name) {
  if (name == "TP") {
    return Binding{"2"};
  }
  if (name == "EMPTY") {
    return Binding{""};
  }
  if (name == "GONE") {
    return Binding{};
  }
  return std::nullopt;
}

/// The text, then what it needs and what is unset, in brackets.
std::string shown_substitution(std::string_view text) {
  const Substituted result = substitute(text, known);
  std::string out = result.text;
  for (const std::string& need : result.needs) {
    out += " [" + need + "]";
  }
  for (const std::string& name : result.unset) {
    out += " [unset " + name + "]";
  }
  return out;
}

TEST_CASE("variables are replaced as a shell replaces them") {
  struct Row {
    const char* text;
    const char* shown;
  };

  constexpr Row kRows[] = {
      {"${TP}", "2"},
      {"$TP", "2"},
      {"$TPX", "$TPX [${TPX}]"},
      {"a/${TP}/b${TP}", "a/2/b2"},
      {"${NOPE}", "${NOPE} [${NOPE}]"},
      {"${NOPE}/x/${NOPE}", "${NOPE}/x/${NOPE} [${NOPE}]"},
      {"${NOPE:-8}", "8"},
      {"${NOPE-8}", "8"},
      {"${NOPE:=8}", "8"},
      {"${NOPE:-}", ""},
      {"${TP:-8}", "2"},
      {"${EMPTY:-8}", "8"},
      {"${EMPTY-8}", ""},
      {"${EMPTY}", ""},
      {"${GONE:-8}", "8"},
      {"${GONE}", "${GONE} [${GONE}] [unset GONE]"},
      {"${NOPE:-${TP}}", "2"},
      {"${NOPE:-a${OTHER:-b}c}", "abc"},
      {"${NOPE:-${OTHER}}", "${OTHER} [${OTHER}]"},
      {"${TP:+yes}", "yes"},
      {"${NOPE:+yes}", ""},
      {"${EMPTY+yes}", "yes"},
      {"${TP:?say it}", "${TP:?say it} [${TP}]"},
      {"${TP%2}", "${TP%2} [${TP}]"},
      {"100$", "100$"},
      {"$1 $$ $(date)", "$1 $$ $(date)"},
      {"${", "${"},
      {"${TP", "${TP"},
      {"${}", "${}"},
  };
  for (const Row& row : kRows) {
    CHECK_MESSAGE(shown_substitution(row.text) == row.shown, row.text);
  }
}

TEST_CASE("hostile texts end soon") {
  std::string nested;
  for (int i = 0; i < 100'000; ++i) {
    nested += "${A:-";
  }
  CHECK(substitute(nested, known).text.size() <= nested.size());
  CHECK(substitute(std::string(300'000, '$'), known).text.size() == 300'000);
}

}  // namespace
}  // namespace epwise::recipe
