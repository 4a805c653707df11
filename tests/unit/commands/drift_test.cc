#include "commands/rules/drift.h"

#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "commands/explain/suspects.h"
#include "support/memory_files.h"

namespace epwise::audit {
namespace {

constexpr const char* kSource =
    "class Config:\n"
    "    def check(self):\n"
    "        if self.a > 1:\n"
    "            raise ValueError('a_long_name must be one')\n";

/// One rule that stands on lines 3 and 4 of the source.
struct StandingRule {
  StandingRule() {
    const auto lines = source_lines(kSource);
    hash = fmt::format("{:016x}", fingerprint(lines, 2, 2));
    marks = message_marks("a_long_name must be one");
    lint::Rule rule;
    rule.id = "shape/a";
    rule.code = "PAR001";
    rule.prose.edit().references = {{"o/n", "src/p/x.py", "4", "abc"}};
    knowledge.rules = {rule};
    lint::Fragment fragment;
    fragment.place = "o/n@abc src/p/x.py:4";
    fragment.symbol = "Config.check";
    fragment.start = 3;
    fragment.count = 2;
    fragment.hash = hash;
    fragment.seen = {{"mlm 0.1", 4}};
    fragment.message = {marks[0], marks[1]};
    knowledge.tables.fragments.edit() = {fragment};
  }

  Ground of(const std::string& text, int* shift = nullptr) {
    support::MemoryFiles files;
    files.put("up/src/p/x.py", text);
    const auto report = drift(files, "up", "", knowledge);
    CHECK(report.repository == "o/n");
    REQUIRE(report.drifts.size() == 1);
    if (shift != nullptr) {
      *shift = report.drifts[0].shift;
    }
    return report.drifts[0].ground;
  }

  std::string hash;
  std::vector<std::string> marks;
  lint::Knowledge knowledge;
};

TEST_CASE("lines that stand, moved, changed and went away") {
  StandingRule ground;
  const std::string source = kSource;
  CHECK(ground.of(source) == Ground::unchanged);
  int shift = 0;
  CHECK(ground.of("import os\n\n" + source, &shift) == Ground::moved);
  CHECK(shift == 2);
  auto other = source;
  other.replace(other.find("> 1"), 3, "> 2");
  CHECK(ground.of(other) == Ground::changed);
  CHECK(ground.of("class Config:\n    pass\n") == Ground::gone);
  ground.knowledge.tables.fragments.edit().clear();
  CHECK(ground.of(source) == Ground::unknown);
}

TEST_CASE("folders that are no checkout are refused") {
  StandingRule ground;
  support::MemoryFiles files;
  files.put("up/readme", "x");
  CHECK_THROWS_AS(drift(files, "nowhere", "", ground.knowledge), os::MissingError);
  CHECK_THROWS_AS(drift(files, "up", "", ground.knowledge), os::UsageError);
  const auto named = drift(files, "up", "o/n", ground.knowledge);
  CHECK(named.drifts.front().ground == Ground::gone);
}

Crash crash_at(const std::string& path, int line, const std::string& message) {
  Crash crash;
  crash.frames = {{path, line, "check"}};
  crash.exception = "ValueError";
  crash.message = message;
  return crash;
}

TEST_CASE("a crash leads to the rule by its line, its function and its words") {
  StandingRule ground;
  const std::string message = "a_long_name must be one";
  CHECK(suspects(crash_at("/opt/lib/p/x.py", 4, message), ground.knowledge).empty());
  ground.knowledge.rules[0].places = {{"mlm", "validate-args", 4}};  // now it can raise
  const auto exact = suspects(crash_at("/opt/lib/p/x.py", 4, message), ground.knowledge);
  REQUIRE(exact.size() == 1);
  CHECK(exact[0].basis == Basis::alike);
  CHECK_FALSE(exact[0].sure);
  const auto elsewhere = suspects(crash_at("/opt/lib/q/x.py", 4, message), ground.knowledge);
  REQUIRE(elsewhere.size() == 1);
  CHECK(elsewhere[0].score < exact[0].score);
  CHECK(suspects(crash_at("/opt/lib/p/x.py", 4, "something else"), ground.knowledge).empty());
  CHECK(suspects(crash_at("/opt/lib/p/x.py", 4, ""), ground.knowledge).empty());
  ground.knowledge.tables.fragments.edit()[0].message.clear();  // the check says nothing
  const auto by_place = suspects(crash_at("/opt/lib/p/x.py", 4, ""), ground.knowledge);
  REQUIRE(by_place.size() == 1);
  CHECK(by_place[0].basis == Basis::place);
  CHECK_FALSE(by_place[0].sure);
}

TEST_CASE("a rule's own fragments of a message make sure, at any place") {
  StandingRule ground;
  ground.knowledge.tables.fragments.edit().clear();
  ground.knowledge.rules[0].prose.edit().log = {"a_long_name"};
  ground.knowledge.rules[0].severity = lint::Severity::error;
  const auto found = suspects(crash_at("/x.py", 1, "a_long_name must be"), ground.knowledge);
  REQUIRE(found.size() == 1);
  CHECK(found[0].sure);
}

}  // namespace
}  // namespace epwise::audit
