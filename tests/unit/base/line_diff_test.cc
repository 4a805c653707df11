#include "base/text/line_diff.h"

#include <string>

#include <doctest/doctest.h>

namespace epwise::text {

namespace {

/// The old text with every hunk made.
std::string replayed(const std::string& before, const std::string& after) {
  const auto old_lines = lines_of(before);
  const auto new_lines = lines_of(after);
  std::string out;
  std::size_t at = 0;
  for (const Hunk& hunk : line_diff(old_lines, new_lines)) {
    for (; at < static_cast<std::size_t>(hunk.old_begin); ++at) {
      out += old_lines[at];
    }
    at += static_cast<std::size_t>(hunk.old_count);
    for (int i = 0; i < hunk.new_count; ++i) {
      out += new_lines[static_cast<std::size_t>(hunk.new_begin + i)];
    }
  }
  for (; at < old_lines.size(); ++at) {
    out += old_lines[at];
  }
  return out;
}

}  // namespace

TEST_CASE("a diff shows changed lines with three around them") {
  const std::string before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n";
  const std::string after = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n11\n12\n13\n14\n16\nlast";
  CHECK(unified_diff("a.yaml", before, after) ==
        "--- a/a.yaml\n+++ b/a.yaml\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
        "@@ -12,5 +12,5 @@\n 12\n 13\n 14\n-15\n 16\n+last\n\\ No newline at end of file\n");
  CHECK(unified_diff("/a", "", "x\n") == "--- a/a\n+++ b/a\n@@ -0,0 +1 @@\n+x\n");
  CHECK(unified_diff("a", "x\n", "x\n").empty());
  CHECK(unified_diff("a", "", "x\n") == "--- a/a\n+++ b/a\n@@ -0,0 +1 @@\n+x\n");
  CHECK(unified_diff("a", "x\r\ny\r\n", "x\r\n") ==
        "--- a/a\n+++ b/a\n@@ -1,2 +1 @@\n x\r\n-y\r\n");
}

TEST_CASE("a name that is not plain is quoted as git quotes it") {
  using epwise::text::quoted_name;
  CHECK(quoted_name("recipes/größer 層.yaml") == "recipes/größer 層.yaml");
  CHECK(quoted_name("a\n::stop\t\"b\\.yaml") == R"("a\n::stop\t\"b\\.yaml")");
  CHECK(quoted_name("a\x1b[31m") == R"("a\033[31m")");
  CHECK(quoted_name("a\u202Eb") == R"("a\342\200\256b")");
  CHECK(quoted_name("a\xFF") == R"("a\377")");
  CHECK(unified_diff("a\nb.yaml", "1\n", "2\n")
            .starts_with("--- \"a/a\\nb.yaml\"\n+++ \"b/a\\nb.yaml\"\n"));
}

TEST_CASE("the hunks lead from the old text to the new one, with few lines") {
  unsigned state = 7;
  const auto next = [&state](unsigned below) {
    state = state * 1103515245U + 12345U;
    return (state >> 16U) % below;
  };
  for (int round = 0; round < 300; ++round) {
    std::string before;
    std::string after;
    for (unsigned i = 0; i < next(12); ++i) {
      before += std::string(1, static_cast<char>('a' + next(4))) + "\n";
    }
    for (unsigned i = 0; i < next(12); ++i) {
      after += std::string(1, static_cast<char>('a' + next(4))) + "\n";
    }
    CAPTURE(before);
    CAPTURE(after);
    CHECK(replayed(before, after) == after);
  }
}

}  // namespace epwise::text
