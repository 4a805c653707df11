#include <string>

#include <doctest/doctest.h>

#include "session/files/file_selection.h"

using epwise::session::parse_patterns;
using epwise::session::PathPattern;

TEST_CASE("Lines are read as git reads those of a .gitignore") {
  struct Row {
    const char* line;
    const char* path;
    bool is_directory;
    bool matches;
  };

  const Row rows[] = {
      {"build", "build", true, true},
      {"build", "a/build", true, true},
      {"build", "a/build", false, true},
      {"build/", "build", false, false},
      {"build/", "a/build", true, true},
      {"/build", "a/build", true, false},
      {"/build", "build", true, true},
      {"a/b", "a/b", false, true},
      {"a/b", "x/a/b", false, false},  // a slash inside ties the pattern to its file's place
      {"*.yaml", "a/b.yaml", false, true},
      {"a/*.yaml", "a/b/c.yaml", false, false},
      {"a/**/c.yaml", "a/b/c.yaml", false, true},
      {"\\#x", "#x", false, true},
      {"x  ", "x", false, true},
      {"x\r", "x", false, true},
  };
  for (const Row& row : rows) {
    const std::string line = row.line;
    const std::string path = row.path;
    CAPTURE(line);
    CAPTURE(path);
    const auto pattern = PathPattern::parse(line);
    REQUIRE(pattern.has_value());
    CHECK(pattern->matches(path, row.is_directory) == row.matches);
  }
}

TEST_CASE("Comments and empty lines are no patterns, ! takes back") {
  CHECK_FALSE(PathPattern::parse("").has_value());
  CHECK_FALSE(PathPattern::parse("# all").has_value());
  CHECK_FALSE(PathPattern::parse("   ").has_value());
  CHECK_FALSE(PathPattern::parse("/").has_value());
  CHECK(PathPattern::parse("!keep.yaml")->negated());
  CHECK(parse_patterns("a\n\n# b\nc").size() == 2);
}

TEST_CASE("A folder covers what lies in it") {
  const auto pattern = PathPattern::parse("recipes/h100/");
  CHECK(pattern->covers("recipes/h100/a.yaml"));
  CHECK(pattern->covers("recipes/h100/x/a.yaml"));
  CHECK_FALSE(pattern->covers("recipes/h100"));
  CHECK_FALSE(pattern->covers("recipes/h200/a.yaml"));
}
