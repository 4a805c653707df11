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
  const auto scope = Scopes::in_yaml(stream.documents).of(comments.front());
  return scope ? text.substr(scope->begin, scope->end - scope->begin) : "";
}

std::string covered_in_script(const std::string& text) {
  const text::SourceFile file("a.sh", text);
  const auto comments = comments_of(file, {});
  REQUIRE(comments.size() == 1);
  const auto scope = Scopes::in_script(file).of(comments.front());
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

/// What each comment of a text covers, by the definition: the first outermost stretch that starts on
/// the comment's line before it or, for one on its own line, after it.
std::vector<std::string> covered_by_all(const std::string& text, bool script) {
  const text::SourceFile file(script ? "a.sh" : "a.yaml", text);
  const yaml::Stream stream = script ? yaml::Stream() : yaml::parse(file);
  const Scopes scopes = script ? Scopes::in_script(file) : Scopes::in_yaml(stream.documents);
  std::vector<std::string> all;
  for (const Comment& comment : comments_of(file, scalars_of(stream.documents))) {
    const auto scope = scopes.of(comment);
    all.push_back(scope ? text.substr(scope->begin, scope->end - scope->begin) : "");
  }
  return all;
}

TEST_CASE("a comment ends where the next one begins") {
  const text::SourceFile file("a.yaml",
                              "a: 1  # epwise: ignore[A]: x  # epwise: ignore[B]: y # z\n");
  const auto comments = comments_of(file, {});
  REQUIRE(comments.size() == 2);
  CHECK(comments[0].reason == "x");
  CHECK(comments[1].reason == "y # z");
  CHECK(
      file.bytes().substr(comments[0].mark.begin, comments[0].mark.end - comments[0].mark.begin) ==
      "# epwise: ignore[A]: x");
}

TEST_CASE("comments next to each other") {
  const std::string ignore = "# epwise: ignore[A]: x";
  using All = std::vector<std::string>;
  CHECK(covered_by_all(ignore + "\n" + ignore + "\na: 1  " + ignore + "\n" + ignore + "\n",
                       false) == All{"a: 1", "a: 1", "a: 1", ""});
  CHECK(covered_by_all("a:\n  - b: 1  " + ignore + "\n    c: 2\n" + ignore + "\nd: 1\n", false) ==
        All{"b: 1  " + ignore + "\n    c: 2", "d: 1"});
  CHECK(covered_by_all(ignore + "\n# more\n" + ignore + "\nA=(\n  " + ignore + "\n  b\n)\nC=1\n",
                       true) ==
        All{"A=(\n  " + ignore + "\n  b\n)", "A=(\n  " + ignore + "\n  b\n)", "  b"});
  CHECK(covered_by_all("a: 'x # epwise: ignore[A]: y'  " + ignore + "  " + ignore + "\n", false)
            .size() == 2);
}

}  // namespace
}  // namespace epwise::suppress
