#include "report/uri.h"

#include <doctest/doctest.h>

namespace epwise::report {

TEST_CASE("paths are seen from the root of the repository") {
  CHECK(repository_path("", "a.yaml") == "a.yaml");
  CHECK(repository_path("recipes", "a.yaml") == "recipes/a.yaml");
  CHECK(repository_path("recipes/gb200/", "../a.yaml") == "recipes/a.yaml");
  CHECK(repository_path("recipes/", "./x/./a.yaml") == "recipes/x/a.yaml");
  CHECK(repository_path("", "../a.yaml") == "../a.yaml");
  CHECK(repository_path("recipes/", "/data/a.yaml") == "/data/a.yaml");
}

TEST_CASE("URIs are relative and hold no byte that an URI can't") {
  CHECK(repository_uri("", "a b/ü#1?.yaml") == "a%20b/%C3%BC%231%3F.yaml");
  CHECK(repository_uri("", "c:a.yaml") == "c%3Aa.yaml");
  CHECK(repository_uri("", "100%.yaml") == "100%25.yaml");
  CHECK(repository_uri("recipes/", "/data/a.yaml") == "file:///data/a.yaml");
}

}  // namespace epwise::report
