#include "suppress/comment.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "yaml/parse.h"

namespace epwise::suppress {
namespace {

Comment only(const std::string& line) {
  const text::SourceFile file("a.yaml", line);
  const auto comments = comments_of(file, {});
  REQUIRE(comments.size() == 1);
  return comments.front();
}

/// The text that the only comment of a document covers; "" for none.
std::string covered(const std::string& text) {
  const text::SourceFile file("a.yaml", text);
  const yaml::Stream stream = yaml::parse(file);
  const auto comments = comments_of(file, scalars_of(stream.documents));
  REQUIRE(comments.size() == 1);
  const auto scope = scope_of(comments.front(), stream.documents);
  return scope ? text.substr(scope->begin, scope->end - scope->begin) : "";
}

std::string covered_in_script(const std::string& text) {
  const text::SourceFile file("a.sh", text);
  const auto comments = comments_of(file, {});
  REQUIRE(comments.size() == 1);
  const auto scope = scope_in_script(comments.front());
  return scope ? text.substr(scope->begin, scope->end - scope->begin) : "";
}

TEST_CASE("a comment names rules, may end, and gives a reason") {
  const Comment comment =
      only("a: 1  # epwise: ignore[EPO014, batch/indivisible] while te < 2.8: a new container\n");
  CHECK(comment.problem.empty());
  CHECK(comment.rules == std::vector<std::string>{"EPO014", "batch/indivisible"});
  CHECK(comment.condition == "te < 2.8");
  CHECK(comment.reason == "a new container");
  CHECK_FALSE(comment.whole_file);
  CHECK_FALSE(comment.whole_line);

  const Comment both = only("# epwise: ignore[A] while te < 2.8 until 2027-03-01: x: y");
  CHECK(both.condition == "te < 2.8");
  CHECK(both.until == "2027-03-01");
  CHECK(both.reason == "x: y");
  CHECK(both.whole_line);
  CHECK(only("#epwise: ignore-file[A]: x").whole_file);
}

TEST_CASE("what a comment may not be") {
  for (const char* wrong : {"# epwise: ignore",
                            "# epwise: ignore: all of it",
                            "# epwise: ignore[]: x",
                            "# epwise: ignore[A]",
                            "# epwise: ignore[A]:",
                            "# epwise: ignore[A]: ",
                            "# epwise: ignore[A: x",
                            "# epwise: ignore[A] until 1.3.2027: x",
                            "# epwise: ignore[A] for now: x"}) {
    CAPTURE(wrong);
    CHECK_FALSE(only(wrong).problem.empty());
  }
}

TEST_CASE("a text is no comment") {
  const text::SourceFile file("a.yaml",
                              "a: |\n  # epwise: ignore[A]: text\nb: 'x # epwise: ignore[A]: y'\n"
                              "c: x#epwise:ignore[A]:z\n");
  const yaml::Stream stream = yaml::parse(file);
  CHECK(has_comments(file));
  CHECK(comments_of(file, scalars_of(stream.documents)).empty());
  CHECK_FALSE(has_comments(text::SourceFile("a.yaml", "# epwise: --hw h100\n")));
}

TEST_CASE("a comment speaks about a key and everything below it") {
  const std::string ignore = "# epwise: ignore[A]: x\n";
  CHECK(covered("a: 1\n" + ignore + "b:\n  c: 2\n  d: 3\ne: 4\n") == "b:\n  c: 2\n  d: 3");
  CHECK(covered("a: 1\nb: {c: 2}  " + ignore + "e: 4\n") == "b: {c: 2}");
  CHECK(covered("a:\n  - 1\n  - 2  " + ignore + "  - 3\n") == "2");
  CHECK(covered("a:  " + ignore + "  b: 1\n  c: 2\nd: 3\n") == "a:  " + ignore + "  b: 1\n  c: 2");
  CHECK(covered("a: 1\n" + ignore).empty());
  CHECK(covered(ignore + "# more\n\na: 1\nb: 2\n") == "a: 1");
}

TEST_CASE("in a script it speaks about a line, a command or a list") {
  const std::string ignore = "# epwise: ignore[A]: x";
  CHECK(covered_in_script("A=1\nexport B=2  " + ignore + "\nC=3\n") == "export B=2  " + ignore);
  CHECK(covered_in_script(ignore + "\ntorchrun a.py \\\n  --x 1 \\\n  --y 2\nB=1\n") ==
        "torchrun a.py \\\n  --x 1 \\\n  --y 2");
  CHECK(covered_in_script(ignore + "\nA=(\n  --x 1\n)\nB=1\n") == "A=(\n  --x 1\n)");
  CHECK(covered_in_script("A=1\n" + ignore).empty());
}

}  // namespace
}  // namespace epwise::suppress
