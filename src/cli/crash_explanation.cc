#include "cli/crash_explanation.h"

#include <algorithm>
#include <istream>
#include <iterator>
#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include "audit/flag_advice.h"
#include "audit/spoken_lines.h"
#include "cli/lint_options.h"
#include "cli/linting.h"
#include "cli/machine.h"
#include "cli/recipe_on_target.h"
#include "cli/report_output.h"
#include "cli/rules_source.h"
#include "cli/target_options.h"
#include "report/crash_writer.h"

namespace epwise::cli {

namespace {

constexpr std::size_t kLongestLog = std::size_t{64} << 20;
constexpr std::size_t kMostCases = 20;  // that are looked into

std::string read_log(Session& session, const std::string& path) {
  return path == "-" ? std::string(std::istreambuf_iterator<char>(session.in),
                                   std::istreambuf_iterator<char>())
                     : session.files.read(path, kLongestLog);
}

/// The Megatron-LM whose flags count: the recipe's, else the newest.
recipe::Vocabulary flags_of(const report::CrashReport& report) {
  using recipe::Framework;
  const bool mlm = report.recipe && report.recipe->recipe->framework == Framework::mlm;
  return recipe::Vocabulary::load(Framework::mlm,
                                  mlm ? report.recipe->result.framework_version : "");
}

/// The cause first: an error that a rule surely knows counts more than one that came earlier, what
/// follows from others counts least.
void order(std::vector<report::CrashCase>& cases) {
  std::ranges::stable_sort(cases, {}, [](const report::CrashCase& each) {
    const bool follows = each.crash.kind == audit::Crash::Kind::aftermath;
    const bool sure = !each.suspects.empty() && each.suspects.front().sure;
    return follows ? 2 : sure ? 0 : 1;
  });
}

/// Words without the form of an error, in a program's chatter perhaps, make nothing sure.
void look_at_lines(const std::string& text,
                   const lint::Knowledge& knowledge,
                   report::CrashReport& report) {
  for (auto& crash : audit::spoken_lines(text, knowledge)) {
    auto suspects =
        audit::suspects(crash, knowledge, report.recipe ? &report.recipe->result : nullptr);
    for (auto& suspect : suspects) {
      suspect.sure = false;
    }
    report.cases.push_back({std::move(crash), std::move(suspects), {}});
  }
}

void look_into(audit::CrashLog log, const lint::Knowledge& knowledge, report::CrashReport& report) {
  const auto vocabulary = flags_of(report);
  for (auto& crash : log.crashes) {
    report::CrashCase each{std::move(crash), {}, {}};
    const bool follows = each.crash.kind == audit::Crash::Kind::aftermath;
    if (!follows && report.cases.size() < kMostCases) {
      each.suspects =
          audit::suspects(each.crash, knowledge, report.recipe ? &report.recipe->result : nullptr);
      each.advice = audit::flag_advice(each.crash, vocabulary);
    }
    report.cases.push_back(std::move(each));
  }
  report.first_failure = log.first_failure;
  order(report.cases);
}

}  // namespace

ExitCode explain_log(Session& session, const Arguments& arguments, const std::string& path) {
  if (arguments.operands.size() > 1) {
    throw world::UsageError("`epwise explain --from-log` takes one recipe at most");
  }
  report::CrashReport report;
  report.log = path == "-" ? "<stdin>" : path;
  const auto text = read_log(session, path);
  std::unique_ptr<RecipeOnTarget> recipe;  // the findings refer to its rules
  lint::Knowledge alone;
  if (!arguments.operands.empty() || !arguments.words.empty()) {
    const std::string file = arguments.operands.empty() ? "" : arguments.operands.front();
    recipe = std::make_unique<RecipeOnTarget>(session, arguments, file, target_settings(arguments));
    const auto reading = recipe->read();
    report.recipe = report::LintedFile{
        reading.recipe->path,
        reading.recipe,
        lint::lint(*reading.recipe, *reading.vocabulary, recipe->target(), recipe->knowledge()),
        describe(recipe->target(), reading.recipe->framework)};
  } else {
    alone = load_rules(session, arguments.one("--rules"));
  }
  const auto& knowledge = recipe == nullptr ? alone : recipe->knowledge();
  look_into(audit::read_crashes(text), knowledge, report);
  if (report.cases.empty()) {
    look_at_lines(text, knowledge, report);
  }
  const std::string format = arguments.text_of("--format", "text");
  session.out << (format == "json" ? report::crash_json(report)
                                   : report::crash_text(report, style_of(arguments, session)));
  const bool known = !report.cases.empty() && !report.cases.front().suspects.empty();
  return known ? ExitCode::clean : ExitCode::findings;
}

}  // namespace epwise::cli
