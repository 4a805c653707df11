#include "cli/settings/run_settings.h"

#include <memory>

#include <doctest/doctest.h>

#include "world/files.h"

using epwise::cli::exit_code_of;
using epwise::cli::ExitCode;
using epwise::cli::joined;
using epwise::cli::RunSettings;
using epwise::cli::selection_of;
using epwise::cli::Setting;
using epwise::cli::Threshold;
using epwise::cli::threshold_of;
using epwise::cli::was_checked;
using epwise::report::LintedFile;
using epwise::world::UsageError;
namespace lint = epwise::lint;
namespace recipe = epwise::recipe;

namespace {

lint::Rule rule(const char* id, const char* code, lint::Severity severity) {
  lint::Rule result;
  result.id = id;
  result.code = code;
  result.severity = severity;
  return result;
}

LintedFile file_with(const lint::Rule& broken) {
  LintedFile file;
  file.recipe = std::make_shared<const recipe::Recipe>();
  lint::Finding finding;
  finding.rule = &broken;
  finding.severity = broken.severity;
  file.result.findings.push_back(finding);
  file.result.rules_checked = 1;
  return file;
}

Threshold at(const char* level) {
  RunSettings settings;
  settings.fail_on = Setting{level, "--fail-on"};
  return threshold_of(settings);
}

}  // namespace

TEST_CASE("--fail-on is inclusive") {
  const lint::Rule warning = rule("a/b", "AAA001", lint::Severity::warning);
  const LintedFile file = file_with(warning);
  CHECK(exit_code_of(file, Threshold{}) == ExitCode::clean);
  CHECK(exit_code_of(file, at("error")) == ExitCode::clean);
  CHECK(exit_code_of(file, at("warning")) == ExitCode::findings);
  CHECK(exit_code_of(file, at("note")) == ExitCode::findings);
  CHECK(exit_code_of(file, at("never")) == ExitCode::clean);
  CHECK_THROWS_AS(at("fatal"), UsageError);
}

TEST_CASE("A rule in preview and a consequence never fail a run") {
  lint::Rule error = rule("a/b", "AAA001", lint::Severity::error);
  LintedFile file = file_with(error);
  CHECK(exit_code_of(file, Threshold{}) == ExitCode::findings);
  file.result.findings.front().consequence = true;
  CHECK(exit_code_of(file, Threshold{}) == ExitCode::clean);
  file.result.findings.front().consequence = false;
  error.preview = true;
  CHECK(exit_code_of(file, Threshold{}) == ExitCode::clean);
}

TEST_CASE("--strict counts what could not be decided") {
  const lint::Rule error = rule("a/b", "AAA001", lint::Severity::error);
  LintedFile file = file_with(error);
  file.result.findings.clear();
  file.result.open.push_back({&error, {"gpus"}});
  CHECK(exit_code_of(file, Threshold{}) == ExitCode::clean);
  RunSettings settings;
  settings.strict = Setting{"true", "--strict"};
  CHECK(exit_code_of(file, threshold_of(settings)) == ExitCode::findings);
}

TEST_CASE("A rule that crashed is our fault, whatever was found") {
  const lint::Rule error = rule("a/b", "AAA001", lint::Severity::error);
  LintedFile file = file_with(error);
  file.result.crashed_rules = {"a/b: boom"};
  CHECK(exit_code_of(file, Threshold{}) == ExitCode::internal);
}

TEST_CASE("What was checked: rules ran, or the file itself is the finding") {
  const lint::Rule error = rule("yaml/syntax", "YML001", lint::Severity::error);
  LintedFile file = file_with(error);
  CHECK(was_checked(file, true));
  CHECK(was_checked(file, false));
  file.result.findings.clear();
  CHECK(was_checked(file, true));
  CHECK_FALSE(was_checked(file, false));
  epwise::recipe::Recipe unreadable;
  unreadable.readable = false;
  file.recipe = std::make_shared<const recipe::Recipe>(unreadable);
  CHECK_FALSE(was_checked(file, true));
}

TEST_CASE("Rules are chosen by id, code or how they begin; a name of none is a mistake") {
  lint::Knowledge knowledge;
  knowledge.rules = {rule("overlap/expert-ranks", "EPO001", lint::Severity::error),
                     rule("shape/world-size", "DWG001", lint::Severity::error)};
  RunSettings settings;
  settings.select = {{"overlap/", "--select"}, {"DWG001", "--select"}};
  CHECK(selection_of(settings, knowledge).select == std::vector<std::string>{"overlap/", "DWG001"});
  settings.ignore = {{"shape/word-size", ".epwise.yaml:3"}};
  CHECK_THROWS_WITH_AS(selection_of(settings, knowledge),
                       ".epwise.yaml:3: no rule `shape/word-size`, did you mean "
                       "`shape/world-size`? (`epwise rules list` names them)",
                       UsageError);
}

TEST_CASE("The stronger source's word counts, setting by setting") {
  RunSettings flags;
  flags.fail_on = Setting{"note", "--fail-on"};
  flags.select = {{"a/", "--select"}};
  RunSettings file;
  file.fail_on = Setting{"never", "c:1"};
  file.select = {{"b/", "c:2"}};
  file.ignore = {{"c/", "c:3"}};
  file.strict = Setting{"true", "c:4"};
  const RunSettings both = joined(flags, file);
  CHECK(both.fail_on == flags.fail_on);
  CHECK(both.select == flags.select);
  CHECK(both.ignore == file.ignore);
  CHECK(both.strict == file.strict);
}
