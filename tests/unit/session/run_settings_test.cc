#include "session/settings/run_settings.h"

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
