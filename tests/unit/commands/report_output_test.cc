#include "ui/report_output.h"

#include <map>
#include <string>

#include <doctest/doctest.h>

#include "support/memory_files.h"

using epwise::cli::parse_formats;
using epwise::cli::Setting;
using epwise::cli::Sink;
using epwise::os::UsageError;
using epwise::support::MemoryVariables;

namespace {

using Map = std::map<std::string, std::string>;

std::vector<Sink> parse_sinks(const std::vector<std::string>& formats, Map variables = {}) {
  std::vector<Setting> settings;
  for (const std::string& format : formats) {
    settings.push_back({format, "--format"});
  }
  return parse_formats(settings, MemoryVariables(std::move(variables)));
}

}  // namespace

TEST_CASE("One format on standard output, any number in files") {
  const auto sinks = parse_sinks({"concise", "json=a.json", "sarif=b.sarif"});
  REQUIRE(sinks.size() == 3);
  CHECK(sinks[0].path.empty());
  CHECK(sinks[1].path == "a.json");
  CHECK(sinks[2].path == "b.sarif");
}

TEST_CASE("Nothing given is full text, and more in a GitHub workflow") {
  CHECK(parse_sinks({}).size() == 1);
  CHECK(parse_sinks({"auto", "json=x"}).size() == 2);
  CHECK(parse_sinks({}, {{"GITHUB_ACTIONS", "true"}, {"CI", "1"}}).size() == 2);
  const auto sinks = parse_sinks({}, {{"GITHUB_ACTIONS", "true"}, {"GITHUB_STEP_SUMMARY", "s.md"}});
  REQUIRE(sinks.size() == 3);
  CHECK(sinks[2].path == "s.md");
  CHECK(sinks[2].append);
  // A format that was chosen is what is written, also there.
  CHECK(parse_sinks({"json"}, {{"GITHUB_ACTIONS", "true"}, {"CI", "1"}}).size() == 1);
}

TEST_CASE("Formats that can't be written are wrong commands") {
  CHECK_THROWS_WITH_AS(
      parse_sinks({"jsno"}), "--format: no format `jsno`, did you mean `json`?", UsageError);
  CHECK_THROWS_WITH_AS(
      parse_sinks({"json="}), "--format: `json=` does not name a file", UsageError);
  CHECK_THROWS_AS(parse_sinks({"json", "concise"}), UsageError);
  CHECK_THROWS_AS(parse_sinks({"auto", "concise"}), UsageError);
  CHECK_THROWS_AS(parse_sinks({"json=-", "concise"}), UsageError);
}
