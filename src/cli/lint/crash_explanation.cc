#include "cli/lint/crash_explanation.h"

#include <algorithm>
#include <istream>
#include <iterator>
#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include "audit/flag_advice.h"
#include "audit/spoken_lines.h"
#include "audit/troubles.h"
#include "cli/lint/linting.h"
#include "cli/lint/options.h"
#include "cli/report_output.h"
#include "cli/settings/rules_source.h"
#include "cli/target/options.h"
#include "cli/target/recipe_on_target.h"
#include "report/crash/writer.h"
#include "why/trace.h"

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

/// The cause first: an error that a rule surely knows counts more than one that came earlier, words
/// that are only mentioned less than an error, what follows from others least.
void order(std::vector<report::CrashCase>& cases) {
  std::ranges::stable_sort(cases, {}, [](const report::CrashCase& each) {
    const bool follows = each.crash.kind == audit::Crash::Kind::aftermath;
    const bool sure = !each.suspects.empty() && each.suspects.front().sure;
    const bool mentioned = each.crash.kind == audit::Crash::Kind::mentioned;
    return follows ? 3 : sure ? 0 : mentioned && each.trouble.has_value() ? 2 : 1;
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
    report.cases.push_back({std::move(crash), std::move(suspects), {}, {}});
  }
}

bool is_known(const report::CrashCase& each) {
  return !each.suspects.empty() || each.trouble.has_value();
}

/// Words of a known trouble anywhere in a log whose errors nobody knows; they come before what only
/// follows from others.
void look_for_troubles(const std::string& text,
                       const lint::Knowledge& knowledge,
                       report::CrashReport& report) {
  const bool known = std::ranges::any_of(report.cases, [](const report::CrashCase& each) {
    return each.crash.kind != audit::Crash::Kind::aftermath && is_known(each);
  });
  if (known) {
    return;
  }
  for (auto& crash : audit::trouble_lines(text, knowledge)) {
    const bool told = std::ranges::any_of(
        report.cases, [&](const report::CrashCase& each) { return each.crash.line == crash.line; });
    if (!told) {
      auto trouble = audit::recognise(crash, knowledge);
      report.cases.push_back({std::move(crash), {}, {}, std::move(trouble)});
    }
  }
  order(report.cases);
}

/// What of the recipe bears on the trouble that the first case is.
void ask_recipe(const RecipeOnTarget* recipe,
                const RecipeOnTarget::Reading& reading,
                report::CrashReport& report) {
  if (report.cases.empty() || !report.cases.front().trouble) {
    return;
  }
  const auto& trouble = *report.cases.front().trouble->trouble;
  const auto& vocabulary = reading.recipe->vocabulary_or(*reading.vocabulary);
  const why::Tracer tracer(*reading.recipe, vocabulary, recipe->target(), recipe->knowledge());
  for (const auto field : trouble.fields) {
    report.settings.push_back(tracer.trace(std::string(field)));
  }
  for (const auto id : trouble.rules) {
    report.about.push_back(recipe->knowledge().find(id));
  }
}

report::CrashReport::LookedFor looked_for(const lint::Knowledge& knowledge) {
  report::CrashReport::LookedFor result;
  for (const auto& rule : knowledge.rules) {
    result.spoken += rule.log.empty() ? 0 : 1;
    result.placed += rule.places.empty() ? 0 : 1;
  }
  for (const auto& trouble : knowledge.tables.troubles) {
    result.troubles.push_back(trouble.name);
  }
  return result;
}

void look_into(audit::CrashLog log, const lint::Knowledge& knowledge, report::CrashReport& report) {
  const auto vocabulary = flags_of(report);
  for (auto& crash : log.crashes) {
    report::CrashCase each{std::move(crash), {}, {}, {}};
    each.trouble = audit::recognise(each.crash, knowledge);
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
  RecipeOnTarget::Reading reading;
  lint::Knowledge alone;
  if (!arguments.operands.empty() || !arguments.words.empty()) {
    const std::string file = arguments.operands.empty() ? "" : arguments.operands.front();
    recipe = std::make_unique<RecipeOnTarget>(session, arguments, file, target_settings(arguments));
    reading = recipe->read();
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
  look_for_troubles(text, knowledge, report);
  if (report.cases.empty()) {
    look_at_lines(text, knowledge, report);
  }
  if (recipe != nullptr) {
    ask_recipe(recipe.get(), reading, report);
  }
  report.looked_for = looked_for(knowledge);
  const std::string format = arguments.text_of("--format", "text");
  session.out << (format == "json" ? report::crash_json(report)
                                   : report::crash_text(report, style_of(arguments, session)));
  const bool known = !report.cases.empty() && is_known(report.cases.front());
  return known ? ExitCode::clean : ExitCode::findings;
}

}  // namespace epwise::cli
