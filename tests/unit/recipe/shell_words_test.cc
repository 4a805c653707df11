#include <string>

#include <doctest/doctest.h>

#include "recipe/arguments/model_args.h"

namespace epwise::recipe {
namespace {

std::string shown_words(std::string_view text) {
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
  CHECK(shown_words("a  b\tc") == "<a><b><c>");
  CHECK(shown_words("  ") == "");
  CHECK(shown_words("'a b' c") == "<a b><c>");
  CHECK(shown_words("a'b c'd") == "<ab cd>");
  CHECK(shown_words("\"a \\\" b\"") == "<a \" b>");
  CHECK(shown_words("\"a \\n\"") == "<a \\n>");
  CHECK(shown_words("'a\\'") == "<a\\>");
  CHECK(shown_words("a\\ b") == "<a b>");
  CHECK(shown_words("''") == "<>");
  CHECK(shown_words("it's") == "open");
  CHECK(shown_words("\"a") == "open");
  CHECK(shown_words("a\\") == "open");
}

}  // namespace
}  // namespace epwise::recipe
