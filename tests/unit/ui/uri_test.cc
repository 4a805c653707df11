#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "ui/place.h"

namespace epwise::report {

namespace {

Checkout at(std::string root, std::string prefix) {
  Checkout checkout;
  checkout.root = std::move(root);
  checkout.prefix = std::move(prefix);
  return checkout;
}

}  // namespace

TEST_CASE("paths are seen from the root of the repository") {
  CHECK(repository_path({}, "a.yaml") == "a.yaml");
  CHECK(repository_path(at("", "recipes"), "a.yaml") == "recipes/a.yaml");
  CHECK(repository_path(at("", "recipes/gb200/"), "../a.yaml") == "recipes/a.yaml");
  CHECK(repository_path(at("", "recipes/"), "./x/./a.yaml") == "recipes/x/a.yaml");
  CHECK(repository_path(at("/repo", ""), "../a.yaml") == "../a.yaml");
  CHECK(repository_path(at("/repo", "recipes/"), "/data/a.yaml") == "/data/a.yaml");
  CHECK(repository_path(at("/repo", "recipes/"), "/repo/x/../b/a.yaml") == "b/a.yaml");
  CHECK(repository_path(at("/repo", ""), "/repository/a.yaml") == "/repository/a.yaml");
  CHECK(repository_path(at("/", ""), "/data/a.yaml") == "/data/a.yaml");
}

TEST_CASE("URIs are relative and hold no byte that an URI can't") {
  CHECK(repository_uri({}, "a b/ü#1?.yaml") == "a%20b/%C3%BC%231%3F.yaml");
  CHECK(repository_uri({}, "c:a.yaml") == "c%3Aa.yaml");
  CHECK(repository_uri({}, "100%.yaml") == "100%25.yaml");
  CHECK(repository_uri(at("/repo", "recipes/"), "/repo/a b.yaml") == "a%20b.yaml");
}

TEST_CASE("what stands outside of the root is a file of this machine, without ..") {
  CHECK(repository_uri(at("/repo", "recipes/"), "/data/a b.yaml") == "file:///data/a%20b.yaml");
  CHECK(repository_uri(at("/home/x/repo", "recipes/"), "../../y.yaml") == "file:///home/x/y.yaml");
  CHECK(repository_uri(at("/home/x", ""), "../y.yaml") == "file:///home/y.yaml");
}

}  // namespace epwise::report
