#include "base/units/version.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace epwise::units {

namespace {

Version version(const std::string& text) {
  const auto parsed = Version::parse(text);
  REQUIRE_MESSAGE(parsed.has_value(), text);
  return *parsed;
}

}  // namespace

TEST_CASE("versions sort as PEP 440 says") {
  const std::vector<std::string> ascending = {
      "0",
      "0.6.2",
      "0.13.0rc0",
      "0.13.0",
      "1.dev0",
      "1.0.dev456",
      "1.0a1",
      "1.0a2.dev456",
      "1.0a12.dev456",
      "1.0a12",
      "1.0b1.dev456",
      "1.0b2",
      "1.0b2.post345.dev456",
      "1.0b2.post345",
      "1.0rc1.dev456",
      "1.0rc1",
      "1.0",
      "1.0+abc.5",
      "1.0+abc.7",
      "1.0+5",
      "1.0.post456.dev34",
      "1.0.post456",
      "1.0.15",
      "1.1.dev1",
      "2.6.0a0+ecf3bae",
      "2.6.0",
      "2.6.0+cu126",
      "2.6.0.post1",
      "2.6.1",
      "2.9.0.dev20250804+cu129",
      "2.9.0a0",
      "2.9.0a0+145a3a7bda.nv25.10",
      "2.9.0",
      "2.10.0",
      "25.9",
      "25.11",
      "1!0.1",
      "head",
  };
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      CAPTURE(ascending[i]);
      CAPTURE(ascending[j]);
      CHECK((version(ascending[i]) <=> version(ascending[j])) == (i <=> j));
    }
  }
}

TEST_CASE("spellings of one version are equal") {
  const std::vector<std::vector<std::string>> same = {
      {"1", "1.0", "1.0.0", "v1", " 1.0\n", "0!1", "01.00"},
      {"1.0a1", "1.0alpha1", "1.0-a.1", "1.0_ALPHA_1"},
      {"1.0b0", "1.0b", "1.0beta"},
      {"1.0rc2", "1.0c2", "1.0pre2", "1.0preview2", "1.0.RC-2"},
      {"1.0.post3", "1.0-3", "1.0r3", "1.0.rev3", "1.0post3"},
      {"1.0.dev0", "1.0.dev", "1.0dev0"},
      {"1.0+ab.1", "1.0+AB-1", "1.0+ab_01"},
      {"head", "HEAD", " head "},
  };
  for (const auto& spellings : same) {
    for (const auto& spelling : spellings) {
      CAPTURE(spelling);
      CHECK(version(spelling) == version(spellings.front()));
    }
  }
}

TEST_CASE("local numbers may be longer than an integer") {
  CHECK(version("1.0+20251010123456789012345") < version("1.0+20251010123456789012346"));
  CHECK(version("1.0+99") < version("1.0+20251010123456789012345"));
}

TEST_CASE("what is no version is refused") {
  for (const std::string text : {"",
                                 " ",
                                 "main",
                                 "latest",
                                 "1.x",
                                 "1..0",
                                 ".1",
                                 "1.0.",
                                 "1.0+",
                                 "1.0+a..b",
                                 "1.0+a b",
                                 "1.0 2",
                                 "1.0posted",
                                 "1.0-",
                                 "core_v0.13.0",
                                 "1.0rc1x",
                                 "99999999999999999999",
                                 "9223372036854775807",
                                 "!1",
                                 "0.6.2-3-gabcdef",
                                 "1.0a1a2",
                                 "\u0661.0"}) {
    CAPTURE(text);
    CHECK_FALSE(Version::parse(text).has_value());
  }
}

TEST_CASE("the text stays as it was written") {
  CHECK(version("v2.6.0A0+ECF3bae").text() == "v2.6.0A0+ECF3bae");
  CHECK(version("head").is_head());
  CHECK_FALSE(version("2.6").is_head());
}

}  // namespace epwise::units
