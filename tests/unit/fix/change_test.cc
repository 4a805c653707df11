#include "fix/change.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace epwise::fix {

TEST_CASE("words change where they stand, new ones come last") {
  using Words = std::vector<std::string>;

  struct Row {
    Words before;
    WordEdit edit;
    Words after;
  };

  const std::vector<Row> rows{
      {{"model.x=4", "a.b=1"}, {"model.x", {{"8"}}}, {"model.x=8", "a.b=1"}},
      {{"++model.x=4"}, {"model.x", {{"8"}}}, {"++model.x=8"}},
      {{"model.xy=4"}, {"model.x", {{"8"}}}, {"model.xy=4", "model.x=8"}},
      {{"model.x=4", "a.b=1"}, {"model.x", {}}, {"a.b=1"}},
      {{"model.x=4", "model.x=5"}, {"model.x", {{"6"}}}, {"model.x=4", "model.x=6"}},
      {{"--tp", "4", "--swiglu"}, {"--tp", {{"8"}}}, {"--tp", "8", "--swiglu"}},
      {{"--tp=4", "--swiglu"}, {"--tp", {{"8"}}}, {"--tp", "8", "--swiglu"}},
      {{"--mods", "a", "b", "--swiglu"}, {"--mods", {{"a"}}}, {"--mods", "a", "--swiglu"}},
      {{"--tp", "4", "--swiglu"}, {"--swiglu", {}}, {"--tp", "4"}},
      {{"--tp", "4"}, {"--swiglu", Words{}}, {"--tp", "4", "--swiglu"}},
      {{"--tp", "4"}, {"--pp", {}}, {"--tp", "4"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.edit.key);
    CHECK(edited_words(row.before, {row.edit}) == row.after);
  }
}

}  // namespace epwise::fix
