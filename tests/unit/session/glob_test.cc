#include <string>

#include <doctest/doctest.h>

#include "session/files/file_selection.h"

using epwise::session::glob_matches;

TEST_CASE("A pattern covers the whole path") {
  struct Row {
    const char* pattern;
    const char* path;
    bool matches;
  };

  const Row rows[] = {
      {"a.yaml", "a.yaml", true},
      {"a.yaml", "xa.yaml", false},
      {"*.yaml", "a.yaml", true},
      {"*.yaml", "dir/a.yaml", false},  // a star stays inside one name
      {"*", "", true},
      {"*a*b*", "xxaxxbxx", true},
      {"*a*b*", "xxbxxaxx", false},
      {"?.yaml", "a.yaml", true},
      {"?.yaml", ".yaml", false},
      {"[ab].yaml", "b.yaml", true},
      {"[!ab].yaml", "b.yaml", false},
      {"[^ab].yaml", "c.yaml", true},
      {"[a-c].yaml", "b.yaml", true},
      {"[a-c].yaml", "d.yaml", false},
      {"[]a].yaml", "].yaml", true},
      {"[a", "[a", true},  // never closed: a plain bracket
      {"[a-]x", "-x", true},
      {"\\*.yaml", "*.yaml", true},
      {"\\*.yaml", "a.yaml", false},
      {"**/a.yaml", "a.yaml", true},
      {"**/a.yaml", "x/y/a.yaml", true},
      {"x/**/a.yaml", "x/a.yaml", true},
      {"x/**/a.yaml", "x/1/2/a.yaml", true},
      {"x/**/a.yaml", "y/1/a.yaml", false},
      {"x/**", "x/1/2", true},
      {"x/**", "x", false},
      {"**", "x/y", true},
      {"**/m/**/*.yml", "a/m/b/m/c.yml", true},
      {"**/m/**/*.yml", "a/n/b/c.yml", false},
      {"/abs/*/b", "/abs/a/b", true},
  };
  for (const Row& row : rows) {
    const std::string pattern = row.pattern;
    const std::string path = row.path;
    CAPTURE(pattern);
    CAPTURE(path);
    CHECK(glob_matches(pattern, path) == row.matches);
  }
}

TEST_CASE("Patterns that would make a naive matcher hang are quick") {
  std::string pattern;
  std::string name;
  for (int i = 0; i < 200; ++i) {
    pattern += "*a";
    name += "aa";
  }
  CHECK(glob_matches(pattern, name));
  CHECK_FALSE(glob_matches(pattern + "b", name));
  std::string folders;
  std::string path;
  for (int i = 0; i < 100; ++i) {
    folders += "**/a/";
    path += "a/a/";
  }
  CHECK_FALSE(glob_matches(folders + "b", path + "c"));
}
