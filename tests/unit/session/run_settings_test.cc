#include "session/settings/run_settings.h"

#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "base/os/files.h"
#include "session/analysis.h"

using epwise::os::UsageError;
using epwise::session::fails;
using epwise::session::joined;
using epwise::session::RunSettings;
using epwise::session::selection_of;
using epwise::session::Setting;
using epwise::session::Threshold;
using epwise::session::threshold_of;
namespace lint = epwise::lint;

namespace {

lint::Rule rule(const char* id, const char* code, lint::Severity severity) {
  lint::Rule result;
  result.id = id;
  result.code = code;
  result.severity = severity;
  return result;
}

lint::Result result_with(const lint::Rule& broken) {
  lint::Result result;
  lint::Finding finding;
  finding.rule = &broken;
  finding.severity = broken.severity;
  result.findings.push_back(finding);
  result.rules_checked = 1;
  return result;
}

Threshold at(const char* level) {
  RunSettings settings;
  settings.fail_on = Setting{level, "--fail-on"};
  return threshold_of(settings);
}

}  // namespace

TEST_CASE("--fail-on is inclusive") {
  const lint::Rule warning = rule("a/b", "AAA001", lint::Severity::warning);
  const lint::Result result = result_with(warning);
  CHECK_FALSE(fails(result, Threshold{}));
  CHECK_FALSE(fails(result, at("error")));
  CHECK(fails(result, at("warning")));
  CHECK(fails(result, at("note")));
  CHECK_FALSE(fails(result, at("never")));
  CHECK_THROWS_AS(at("fatal"), UsageError);
}

TEST_CASE("A rule in preview never fails a run") {
  lint::Rule error = rule("a/b", "AAA001", lint::Severity::error);
  lint::Result result = result_with(error);
  CHECK(fails(result, Threshold{}));
  error.preview = true;
  CHECK_FALSE(fails(result, Threshold{}));
}

TEST_CASE("--strict counts what could not be decided") {
  const lint::Rule error = rule("a/b", "AAA001", lint::Severity::error);
  lint::Result result = result_with(error);
  result.findings.clear();
  result.open.push_back({&error, {"gpus"}});
  CHECK_FALSE(fails(result, Threshold{}));
  RunSettings settings;
  settings.strict = Setting{"true", "--strict"};
  CHECK(fails(result, threshold_of(settings)));
}

namespace {

RunSettings settings_of(const std::vector<std::string>& select,
                        const std::vector<std::string>& ignore,
                        const std::vector<std::string>& extend_select,
                        const std::vector<std::string>& extend_ignore) {
  RunSettings settings;
  for (const std::string& each : select) {
    settings.select.push_back({each, "here"});
  }
  for (const std::string& each : ignore) {
    settings.ignore.push_back({each, "here"});
  }
  for (const std::string& each : extend_select) {
    settings.extensions.push_back({{each, "here"}, true});
  }
  for (const std::string& each : extend_ignore) {
    settings.extensions.push_back({{each, "here"}, false});
  }
  return settings;
}

/// The codes of the rules that a command line selects above a configuration.
std::string taken(const RunSettings& line, const RunSettings& configuration) {
  lint::Knowledge knowledge;
  for (const auto& [id, code, confidence] :
       std::vector<std::tuple<const char*, const char*, lint::Confidence>>{
           {"memory/hint", "MEM001", lint::Confidence::heuristic},
           {"memory/overflow", "MEM002", lint::Confidence::proven},
           {"overlap/ranks", "EPO001", lint::Confidence::proven},
           {"batch/small", "BAT001", lint::Confidence::likely}}) {
    knowledge.rules.push_back(rule(id, code, lint::Severity::error));
    knowledge.rules.back().confidence = confidence;
  }
  const lint::Selection selection = selection_of(joined(line, configuration), knowledge);
  std::string codes;
  for (const lint::Rule& each : knowledge.rules) {
    codes += selection.takes(each) ? std::string(each.code) + " " : "";
  }
  return codes;
}

}  // namespace

TEST_CASE("A list replaces the weaker one, an extension adds to it") {
  const RunSettings nothing;
  CHECK(taken(settings_of({"EPO001"}, {}, {}, {}), settings_of({"memory/"}, {}, {}, {})) ==
        "EPO001 ");
  CHECK(taken(settings_of({}, {}, {"EPO001"}, {}), settings_of({"memory/"}, {}, {}, {})) ==
        "MEM001 MEM002 EPO001 ");
  CHECK(taken(settings_of({}, {}, {}, {"MEM001"}), settings_of({"memory/"}, {}, {}, {})) ==
        "MEM002 ");
  CHECK(taken(settings_of({}, {}, {}, {"EPO"}), settings_of({}, {"memory/"}, {}, {})) == "BAT001 ");
  CHECK(taken(nothing, settings_of({"memory/"}, {"MEM001"}, {"BAT001"}, {"MEM002"})) == "BAT001 ");
  CHECK_THROWS_AS(taken(settings_of({}, {}, {"nothing/"}, {}), nothing), UsageError);
}

TEST_CASE("Extensions of the stronger source apply last") {
  CHECK(taken(settings_of({}, {}, {"MEM001"}, {}), settings_of({}, {"memory/"}, {}, {})) ==
        "MEM001 EPO001 BAT001 ");
  CHECK(taken(settings_of({}, {}, {"MEM001"}, {}), settings_of({}, {}, {}, {"memory/"})) ==
        "MEM001 EPO001 BAT001 ");
  CHECK(taken(settings_of({}, {"MEM001"}, {}, {}), settings_of({"EPO"}, {}, {"memory/"}, {})) ==
        "MEM002 EPO001 ");
  CHECK(taken(settings_of({"EPO"}, {}, {}, {}), settings_of({}, {}, {"memory/"}, {})) == "EPO001 ");
  CHECK(taken(settings_of({"memory/"}, {}, {}, {}), settings_of({}, {}, {}, {"MEM001"})) ==
        "MEM002 ");
  CHECK(taken(settings_of({}, {}, {"memory/"}, {"MEM001"}), settings_of({"EPO"}, {}, {}, {})) ==
        "MEM002 EPO001 ");
}

TEST_CASE("A confidence selects rules") {
  const RunSettings nothing;
  CHECK(taken(settings_of({"proven"}, {}, {}, {}), nothing) == "MEM002 EPO001 ");
  CHECK(taken(settings_of({"proven", "likely"}, {"memory/"}, {}, {}), nothing) == "EPO001 BAT001 ");
  CHECK(taken(settings_of({}, {"heuristic"}, {}, {}), nothing) == "MEM002 EPO001 BAT001 ");
}
