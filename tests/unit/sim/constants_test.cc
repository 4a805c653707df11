#include "perf/sim/constants/constants.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace epwise::sim {
namespace {

std::vector<std::string> problems_of(const std::string& constant) {
  const text::SourceFile file("c.yaml",
                              "measured_on: [h100]\nsources:\n  s: {text: t, date: 2026-11}\n"
                              "constants:\n  " +
                                  constant + "\n");
  std::vector<text::Diagnostic> problems;
  read_constants(file, problems);
  std::vector<std::string> messages;
  for (const text::Diagnostic& problem : problems) {
    if (problem.message.find(" is missing") == std::string::npos) {
      messages.push_back(problem.message);
    }
  }
  return messages;
}

TEST_CASE("a flaw of the table of constants is named") {
  struct Case {
    std::string constant;
    std::string message;
  };

  const std::vector<Case> cases = {
      {"router: {value: 1, unit: \"1\", log_sd: 0.1, status: prior, source: s, meaning: m}", ""},
      {"rooter: {value: 1, unit: \"1\", log_sd: 0.1, status: prior, source: s, meaning: m}",
       "the step model has no constant `rooter`"},
      {"host_x86: {value: 55, unit: \"1\", log_sd: 0.1, status: prior, source: s, meaning: m}",
       "constant `host_x86` must be a time (us, ms), not 1"},
      {"scan_rate: {value: 12, unit: us, log_sd: 0.1, status: prior, source: s, meaning: m}",
       "constant `scan_rate` must be a rate (GB/s), not us"},
      {"router: {value: -1, unit: \"1\", log_sd: 0.1, status: prior, source: s, meaning: m}",
       "`router` needs a value above 0 and a log_sd from 0 to 1"},
      {"router: {value: 1, unit: \"1\", log_sd: 0.1, status: known, source: s, meaning: m}",
       "the status of `router` is `known`, must be fitted or prior"},
      {"router: {value: 1, unit: \"1\", log_sd: 0.1, status: prior, source: x, meaning: m}",
       "the source of `router` is not listed under `sources`"}};
  for (const Case& each : cases) {
    CAPTURE(each.constant);
    const auto messages = problems_of(each.constant);
    if (each.message.empty()) {
      CHECK(messages.empty());
    } else {
      REQUIRE(messages.size() == 1);
      CHECK(messages.front() == each.message);
    }
  }
}

TEST_CASE("a constant that the file lacks is reported") {
  std::vector<text::Diagnostic> problems;
  const text::SourceFile file("c.yaml", "measured_on: [h100]\nsources: {}\nconstants: {}\n");
  read_constants(file, problems);
  CHECK(problems.size() == constant_columns().size());
}

TEST_CASE(
    "the build's table survives packing and has every constant once; what is fitted has a prior") {
  const ConstantTable& table = constants();
  const ConstantTable again = unpack_constants(pack_constants(table));
  REQUIRE(again.notes.size() == constant_columns().size());
  CHECK(again.measured_on == table.measured_on);
  for (const ConstantNote& note : again.notes) {
    CAPTURE(note.name);
    const auto member = constant_member(note.name);
    REQUIRE(member != nullptr);
    CHECK(again.values.*member == note.value);
    CHECK(note.meaning.size() > 10);
    CHECK(!note.source.empty());
    if (note.status == cost::Status::fitted) {
      CHECK(note.prior_log_sd > 0);
    }
  }
  CHECK(table.values.host_x86 == doctest::Approx(6e-5).epsilon(0.3));
  CHECK_THROWS(unpack_constants("x"));
}

}  // namespace
}  // namespace epwise::sim
