#include "commands/whatif/axis.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "base/os/files.h"
#include "base/units/version.h"
#include "lint/knowledge.h"
#include "session/target/resolution.h"
#include "support/example_target.h"

namespace epwise::whatif {
namespace {

Axis axis(const char* name, const char* text, const char* words = "", int layout = 0) {
  return make_axis({name, text}, test::parse_target(words).target, test::knowledge(), layout);
}

bool has(const std::vector<std::string>& all, const std::string& one) {
  return std::ranges::find(all, one) != all.end();
}

TEST_CASE("a range of versions holds the releases in it, ascending, a series with all of it") {
  const Axis te = axis("te", "2.12..2.14");
  CHECK(te.points.front() == "2.12.0");
  CHECK(has(te.points, "2.13.0"));
  CHECK(te.points.back() == "2.14.1");
  CHECK(axis("te", "2.12..2.14.0").points.back() == "2.14.0");
  CHECK_FALSE(has(axis("te", "..1.9.0").points, "1.10.0"));
  CHECK(axis("mlm", "0.19..").points.back() == "head");
}

TEST_CASE("versions that a rule compares with are points, derived values included") {
  lint::Knowledge own;
  const auto made = [&](const char* text) { return expr::parse(text, own.names).expression; };
  lint::Rule rule;
  rule.given = made("stack.te < v\"2.6.7\" || d.core >= v\"0.18.1\"");
  rule.assertion = made("fw == \"bridge\"");
  rule.versions = {{"mlm", "0.15.9", ""}};
  own.rules = {rule};
  facts::Derived derived;
  derived.slot = own.names.slot("d.core");
  derived.expression = made("stack.mcore");
  derived.type = {expr::Kind::version};
  own.derived = {derived};
  CHECK(boundaries("te", own) == std::vector<std::string>{"2.6.7"});
  CHECK(boundaries("mcore", own) == std::vector<std::string>{"0.18.1"});
  CHECK(boundaries("mlm", own) == std::vector<std::string>{"0.15.9"});
  CHECK(boundaries("torch", own).empty());
}

TEST_CASE("versions of one component are no points of another that is computed from it") {
  // Conditions on the Megatron-Core that a Bridge pins have the core's numbers, not Bridge's.
  for (const auto& point : axis("bridge", "..").points) {
    CAPTURE(point);
    CHECK((point == "head" || *units::Version::parse(point) < *units::Version::parse("0.8")));
  }
}

TEST_CASE("every version that the rules compare with is a point of an open range") {
  for (const char* component : {"te", "torch", "bridge", "mlm"}) {
    const Axis all = axis(component, "..");
    for (const auto& version : boundaries(component, test::knowledge())) {
      const auto same = [&](const std::string& point) {
        return units::Version::parse(point) == units::Version::parse(version);
      };
      CHECK_MESSAGE(std::ranges::any_of(all.points, same), component, " ", version);
    }
  }
}

TEST_CASE("no version that the rules compare with or a container holds is newer than its table") {
  const lint::Knowledge& all = test::knowledge();
  const auto is_known = [&](std::string_view component, std::string_view version) {
    const bool known = !session::newer_release(component, version, "", all.tables);
    CHECK_MESSAGE(known, component, " ", version);
  };
  for (const lint::ReleaseList& list : all.tables.releases) {
    for (const std::string& version : boundaries(list.component, all)) {
      const bool next = list.component == "bridge" || list.component == "mlm" ||
                        list.component == "mcore";  // of which rules read the head
      if (!next) {
        is_known(list.component, version);
      }
    }
  }
  for (const lint::Container& container : all.containers) {
    for (const std::string_view part : container.components) {
      const std::size_t equals = part.find('=');
      is_known(part.substr(0, equals), part.substr(std::min(equals + 1, part.size())));
    }
  }
  for (const std::string_view component : {"te",
                                           "torch",
                                           "nccl",
                                           "cuda",
                                           "cudnn",
                                           "deepep",
                                           "hybridep",
                                           "driver",
                                           "flash_attn",
                                           "transformers",
                                           "vllm"}) {
    CAPTURE(component);
    CHECK(session::newer_release(component, "999", "", all.tables).has_value());
  }
}

TEST_CASE("the versions that a span names, and whether they are visited") {
  const auto names = [](const char* name, const char* text) {
    std::string all;
    for (const NamedVersion& each : named_versions({name, text})) {
      all += each.text + (each.visited ? " " : "! ");
    }
    return all;
  };
  CHECK(names("te", "2.6..99") == "2.6! 99! ");
  CHECK(names("te", "2.6..") == "2.6! ");
  CHECK(names("te", "2.6,99") == "2.6 99 ");
  CHECK(names("gpus", "8..64").empty());
  CHECK(names("hw", "h100,b200").empty());
}

TEST_CASE("where the target stands is a point, in the range or outside of it") {
  const Axis inside = axis("te", "2.12..2.14", "--stack te=2.14.0+71bbefbf");
  CHECK(inside.points[inside.present] == "2.14.0+71bbefbf");
  CHECK(has(inside.points, "2.14.0"));
  CHECK_FALSE(inside.assumed);
  const Axis below = axis("te", "2.12..2.14", "--stack te=2.5.0");
  CHECK(below.present == 0);
  CHECK(below.points.front() == "2.5.0");
  const Axis unknown = axis("te", "2.12..2.14");
  CHECK(unknown.assumed);
  CHECK(unknown.points[unknown.present] == "2.14.1");
}

TEST_CASE("numbers of GPUs: powers of two, the ends, and what the layout needs") {
  CHECK(axis("gpus", "8..64").points == std::vector<std::string>{"8", "16", "32", "64"});
  CHECK(axis("gpus", "12..64", "--gpus 40", 24).points ==
        std::vector<std::string>{"12", "16", "24", "32", "40", "48", "64"});
  CHECK(axis("gpus", "64,8").points == std::vector<std::string>{"8", "64"});
  CHECK(axis("gpus", "8..64").assumed);
}

TEST_CASE("hardware stays in the order in which it is named") {
  const Axis hw = axis("hw", "h100,gb200,h100");
  CHECK(hw.points == std::vector<std::string>{"h100", "gb200"});
  const Axis elsewhere = axis("hw", "h100,gb200", "--hw b200");
  CHECK(elsewhere.points == std::vector<std::string>{"b200", "h100", "gb200"});
  CHECK(elsewhere.present == 0);
}

TEST_CASE("what names nothing is refused with what to write") {
  for (const auto& span : std::vector<Span>{{"te", "abc..2.0"},
                                            {"te", "77..78"},
                                            {"te", ","},
                                            {"gpus", "8.."},
                                            {"gpus", "64..8"},
                                            {"gpus", "eight,nine"},
                                            {"hw", "h100,h1000"}}) {
    CAPTURE(span.text);
    CHECK_THROWS_AS(make_axis(span, {}, test::knowledge(), 0), os::UsageError);
  }
}

}  // namespace
}  // namespace epwise::whatif
