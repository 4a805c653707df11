#include "recipe/arguments/shell_words.h"

#include <string>

#include <doctest/doctest.h>

namespace epwise::recipe {
namespace {

std::string shown(std::string_view text) {
  const auto words = shell_words(text);
  if (!words) {
    return "open";
  }
  std::string out;
  for (const std::string& word : *words) {
    out += "<" + word + ">";
  }
  return out;
}

TEST_CASE("blanks divide, quotes and backslashes hold together") {
  CHECK(shown("a  b\tc") == "<a><b><c>");
  CHECK(shown("  ") == "");
  CHECK(shown("'a b' c") == "<a b><c>");
  CHECK(shown("a'b c'd") == "<ab cd>");
  CHECK(shown("\"a \\\" b\"") == "<a \" b>");
  CHECK(shown("\"a \\n\"") == "<a \\n>");
  CHECK(shown("'a\\'") == "<a\\>");
  CHECK(shown("a\\ b") == "<a b>");
  CHECK(shown("''") == "<>");
  CHECK(shown("it's") == "open");
  CHECK(shown("\"a") == "open");
  CHECK(shown("a\\") == "open");
}

}  // namespace
}  // namespace epwise::recipe
