#include <algorithm>

#include <doctest/doctest.h>

#include "base/units/version.h"
#include "lint/tables_reader.h"
#include "recipe/stack.h"
#include "support/example_target.h"

namespace epwise::lint {
namespace {

TEST_CASE("a version takes the core of its release, an unknown one that of the release before it") {
  const std::vector<Pin> pins = {{"0.4.0", "0.17.0", ""},
                                 {"0.4.1", "0.17.0", ""},
                                 {"0.5.1", "0.18.2", ""},
                                 {"head", "head", ""}};
  CHECK(pinned_expression("stack.bridge", pins) ==
        "stack.bridge < v\"0.5.1\" ? v\"0.17.0\" : stack.bridge < v\"0.6.0\" ? v\"0.18.2\" : "
        "v\"head\"");
}

TEST_CASE(
    "every release of Megatron-Bridge that whatif visits has its Megatron-Core, and no other") {
  const auto& lists = test::knowledge().tables.releases;
  const auto bridge = std::ranges::find(lists, "bridge", &ReleaseList::component);
  REQUIRE(bridge != lists.end());
  for (const auto release : bridge->releases) {
    CAPTURE(release);
    CHECK(std::ranges::find(test::knowledge().tables.pins, release, &Pin::bridge) !=
          test::knowledge().tables.pins.end());
  }
  const auto core = std::ranges::find(lists, "mcore", &ReleaseList::component);
  REQUIRE(core != lists.end());
  for (const auto& pin : test::knowledge().tables.pins) {
    CAPTURE(pin.bridge);
    const bool pre = pin.core.find("rc") != std::string_view::npos;
    CHECK((pre || std::ranges::find(core->releases, pin.core) != core->releases.end()));
    CHECK_FALSE(pin.source.empty());
  }
}

TEST_CASE("the table of releases is what rules read as stack.mcore") {
  for (const auto& pin : test::knowledge().tables.pins) {
    CAPTURE(pin.bridge);
    const auto target = test::parse_target("--stack bridge=" + std::string(pin.bridge));
    const auto vocabulary = recipe::Vocabulary::load(recipe::Framework::bridge, pin.bridge);
    const auto linted = test::lint_text(
        "model: {num_layers: 2}\n", "--stack bridge=" + std::string(pin.bridge), test::knowledge());
    const facts::Facts facts(*linted.recipes.front(),
                             vocabulary,
                             target.target,
                             test::knowledge().names,
                             test::knowledge().derived);
    // A release without tables of its own is linted as the one whose tables it takes, unless it is
    // older than all of them.
    const auto& pins = test::knowledge().tables.pins;
    const auto tables = std::ranges::find(pins, vocabulary.version(), &Pin::bridge);
    REQUIRE(tables != pins.end());
    const auto versions = recipe::Vocabulary::versions(recipe::Framework::bridge);
    const bool older = vocabulary.version() == versions.front() && !vocabulary.exact() &&
                       pin.bridge < versions.front();
    CHECK(facts.value(test::knowledge().names.find("stack.mcore").value()).to_text() ==
          (older ? pin.core : tables->core));
    CHECK((!vocabulary.exact() || tables->bridge == pin.bridge));
  }
}

}  // namespace
}  // namespace epwise::lint
