#include "suppress/condition.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/example_target.h"

namespace epwise::suppress {
namespace {

/// "yes", "no", "? stack.te", or what is wrong with it.
std::string judged(const std::string& condition, const std::string& target) {
  std::string problem;
  const Condition read = parse_condition(condition, problem);
  if (!problem.empty()) {
    return problem;
  }
  std::vector<std::string> needs;
  const auto example = test::parse_target(target);
  const auto now = holds(read, example.target, needs);
  return !now ? "? " + needs.front() : *now ? "yes" : "no";
}

TEST_CASE("conditions ask the target") {
  CHECK(judged("te < 2.8", "--stack te=2.7.0") == "yes");
  CHECK(judged("te < 2.8", "--stack te=2.8.0") == "no");
  CHECK(judged("te <= 2.8", "--stack te=2.8") == "yes");
  CHECK(judged("te != 2.8.0", "--stack te=2.8.0") == "no");
  CHECK(judged("te < 2.8", "") == "? stack.te");
  CHECK(judged("te < 2.8", "--stack te=none") == "no");
  CHECK(judged("deepep == none", "--stack deepep=none") == "yes");
  CHECK(judged("gpus > 8", "--gpus 16") == "yes");
  CHECK(judged("gpus > 8", "") == "? gpus");
  CHECK(judged("hw == h100", "--hw h100") == "yes");
  CHECK(judged("hw != h100", "--hw h100") == "no");
}

TEST_CASE("and") {
  CHECK(judged("te < 2.8 and gpus > 8", "--stack te=2.7.0 --gpus 16") == "yes");
  CHECK(judged("te < 2.8 and gpus > 8", "--stack te=2.7.0 --gpus 8") == "no");
  CHECK(judged("te < 2.8 and gpus > 8", "--gpus 8") == "no");
  CHECK(judged("te < 2.8 and gpus > 8", "--gpus 16") == "? stack.te");
}

TEST_CASE("what is no condition") {
  for (const char* wrong :
       {"", "te", "te < new", "tea < 2", "gpus > many", "hw < h100", "te < none", "te < 2 and"}) {
    CAPTURE(wrong);
    const std::string answer = judged(wrong, "--stack te=2.7.0 --gpus 8 --hw h100");
    CHECK(answer != "yes");
    CHECK(answer != "no");
  }
}

}  // namespace
}  // namespace epwise::suppress
