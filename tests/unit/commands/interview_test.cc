#include "commands/advise/interview.h"

#include <sstream>

#include <doctest/doctest.h>

namespace epwise::cli {

namespace {

/// Two questions, and a third where the first was answered with "more".
struct Asked {
  std::string first;
  std::string second;
  std::string third;
  std::ostringstream out;
  bool finished = false;

  explicit Asked(const std::string& lines) {
    std::istringstream in(lines);
    const std::vector<Step> steps = {
        {[this] { return question("First", "a", first); }},
        {[this] { return question("Third", "", third); }, [this] { return first == "more"; }},
        {[this] { return question("Second", "b", second); }},
    };
    finished = Interview(in, out).run(steps);
  }

  static Question question(std::string text, std::string fallback, std::string& value) {
    return {std::move(text),
            std::move(fallback),
            "words\nabout it",
            [&value](const std::string& answer) -> std::string {
              if (answer == "wrong") {
                return "not that";
              }
              value = answer;
              return "";
            }};
  }
};

}  // namespace

TEST_CASE("Enter takes the default, and answers are trimmed") {
  const Asked asked("\n  x \r\n");
  CHECK(asked.finished);
  CHECK(asked.first == "a");
  CHECK(asked.second == "x");
  CHECK(asked.out.str() == "First [a]: Second [b]: ");
}

TEST_CASE("a wrong answer is told and asked again, ? explains") {
  const Asked asked("wrong\n?\ny\n\n");
  CHECK(asked.finished);
  CHECK(asked.first == "y");
  CHECK(asked.out.str() ==
        "First [a]:   not that\nFirst [a]:   words\n  about it\nFirst [a]: Second [b]: ");
}

TEST_CASE("back returns over questions that were not asked, quit and the end of input leave") {
  const Asked back("x\nback\ny\nz\n");
  CHECK(back.finished);
  CHECK(back.first == "y");
  CHECK(back.second == "z");
  const Asked through("more\nt\nback\nback\nx\nend\n");
  CHECK(through.finished);
  CHECK(through.first == "x");
  CHECK(through.second == "end");
  CHECK_FALSE(Asked("x\nquit\n").finished);
  CHECK_FALSE(Asked("x\n").finished);
  CHECK(Asked("back\nx\ny\n").out.str().find("first question") != std::string::npos);
}

TEST_CASE("a question without default wants an answer") {
  const Asked asked("more\n\nt\n\n");
  CHECK(asked.finished);
  CHECK(asked.third == "t");
  CHECK(asked.out.str().find("an answer is required") != std::string::npos);
}

}  // namespace epwise::cli
