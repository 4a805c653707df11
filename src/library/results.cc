#include "library/results.h"

#include <algorithm>
#include <utility>

#include "base/units/quantity.h"
#include "lint/renaming.h"
#include "ui/place.h"

namespace epwise::library {

namespace {

Severity severity_of(lint::Severity severity) {
  return severity == lint::Severity::error     ? Severity::error
         : severity == lint::Severity::warning ? Severity::warning
                                               : Severity::note;
}

Tier tier_of(lint::Tier tier) {
  return tier == lint::Tier::neutral       ? Tier::neutral
         : tier == lint::Tier::performance ? Tier::performance
                                           : Tier::training;
}

std::optional<Tier> tier_of(const std::optional<lint::Tier>& tier) {
  return tier ? std::optional(tier_of(*tier)) : std::nullopt;
}

Verdict verdict_of(lint::Verdict verdict) {
  return verdict == lint::Verdict::starts    ? Verdict::starts
         : verdict == lint::Verdict::rejects ? Verdict::rejects
                                             : Verdict::undecided;
}

Faster faster_of(sim::Verdict verdict) {
  return verdict == sim::Verdict::a   ? Faster::a
         : verdict == sim::Verdict::b ? Faster::b
                                      : Faster::too_close;
}

/// Of findings and edits: both have these members.
template <class Placed>
void set_place(const report::LintedFile& file, const text::Mark& mark, Placed& placed) {
  const report::Place place = report::place_of(file, mark);
  placed.path = place.path;
  if (place.positioned) {
    placed.line = place.start.line;
    placed.column = place.start.column;
    placed.end_line = place.finish.line;
    placed.end_column = place.finish.column;
  }
}

Edit edit_of(const report::LintedFile& file, const lint::Fix::Edit& edit) {
  Edit result;
  result.action = lint::is_renaming(edit) ? "rename"
                  : edit.value.empty()    ? "remove"
                  : edit.mark.nowhere()   ? "add"
                                          : "set";
  result.field = edit.field;
  result.value = edit.value.empty() ? std::nullopt : std::optional(edit.value);
  set_place(file, edit.mark, result);
  return result;
}

Finding finding_of(const report::LintedFile& file, const lint::Finding& finding) {
  Finding result;
  result.rule = finding.rule->id;
  result.code = finding.rule->code;
  result.severity = severity_of(finding.severity);
  result.confidence = lint::to_string(finding.rule->confidence);
  result.message = finding.message;
  set_place(file, finding.primary.mark, result);
  result.pointer = finding.primary.pointer;
  result.help = finding.rule->why;
  result.preview = finding.rule->preview;
  for (const lint::Fix& fix : finding.fixes) {
    Fix& each = result.fixes.emplace_back();
    each.title = fix.title;
    each.tier = tier_of(fix.tier);
    each.tried = !fix.patches.empty();
    for (const lint::Fix::Edit& edit : fix.edits) {
      each.edits.push_back(edit_of(file, edit));
    }
  }
  return result;
}

int weight(Verdict verdict) {
  return verdict == Verdict::rejects ? 2 : verdict == Verdict::undecided ? 1 : 0;
}

void add_launch(const lint::Launch& launch, LintResult& result) {
  const Verdict verdict = verdict_of(launch.verdict);
  if (weight(verdict) < weight(result.verdict)) {
    return;
  }
  result.verdict = verdict;
  result.stage = launch.stage;
  result.stopped_by = launch.rule == nullptr ? "" : std::string(launch.rule->code);
  result.needs = launch.needs;
}

void add_file(const report::LintedFile& file, LintResult& result) {
  add_launch(file.result.launch, result);
  std::ranges::move(findings_of(file), std::back_inserter(result.findings));
  for (const lint::Accepted& each : file.result.accepted) {
    result.accepted.push_back({finding_of(file, each.finding),
                               each.mark.nowhere() ? "baseline" : "comment",
                               each.source,
                               each.reason});
  }
  for (const lint::Open& each : file.result.open) {
    result.open.push_back({std::string(each.rule->id), std::string(each.rule->code), each.needs});
  }
  for (const facts::Rewrite& rewrite : file.result.effective) {
    result.effective.push_back({rewrite.field, rewrite.why});
  }
}

Interval interval_of(const sim::Range& range, double unit = 1) {
  return {range.value / unit, range.low / unit, range.high / unit};
}

std::vector<std::string> sentences_of(const std::vector<text::Diagnostic>& missing) {
  std::vector<std::string> sentences;
  for (const text::Diagnostic& each : missing) {
    sentences.push_back(report::missing_text(each));
  }
  return sentences;
}

std::vector<Input> inputs_of(const std::vector<workload::Input>& inputs) {
  std::vector<Input> result;
  for (const workload::Input& input : inputs) {
    result.push_back({std::string(input.key),
                      input.value,
                      std::string(workload::to_string(input.status)),
                      input.why});
  }
  return result;
}

ComparedRecipe compared_recipe(const report::SimulatedRecipe& recipe) {
  ComparedRecipe result;
  result.path = recipe.path;
  result.lint_errors = recipe.lint_errors;
  if (recipe.prediction) {
    result.step_time_s = interval_of(recipe.prediction->step_time);
  }
  result.missing = sentences_of(recipe.missing);
  return result;
}

std::optional<std::string> text_or_nothing(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

Plan plan_of(const advise::Plan& plan) {
  Plan result;
  for (const advise::PlanChange& change : plan.changes) {
    result.changes.push_back({change.field,
                              text_or_nothing(change.from),
                              text_or_nothing(change.to),
                              tier_of(change.tier),
                              change.why});
  }
  result.speedup = interval_of(plan.speedup);
  result.faster = faster_of(plan.verdict);
  result.step_time_s = interval_of(plan.step);
  result.memory_gib = plan.needed_memory / units::kGiB;
  if (plan.memory_limit > 0) {
    result.memory_limit_gib = plan.memory_limit / units::kGiB;
  }
  result.risk = advise::to_string(plan.risk);
  result.risks = plan.risks;
  for (const advise::BringUp& each : plan.bring_up) {
    result.bring_up.push_back(each.what);
  }
  result.environment = {plan.environment.begin(), plan.environment.end()};
  for (const lint::Rule* rule : plan.settles) {
    result.settles.emplace_back(rule->code);
  }
  result.diff = plan.diff;
  result.text = plan.draft.bytes;
  result.obstacle = plan.obstacle;
  result.decides = plan.measurement;
  return result;
}

DispatcherChoice dispatcher_of(const advise::DispatcherRow& row) {
  DispatcherChoice result;
  result.name = row.name;
  result.present = row.present;
  result.legal = row.legality.legal;
  result.reason = row.legality.legal ? "" : report::reason_text(row.legality);
  if (row.step) {
    result.step_time_s = interval_of(*row.step);
  }
  result.rank = row.rank;
  result.tie = row.tie;
  return result;
}

Suspect suspect_of(const audit::Suspect& suspect, const report::CrashReport& report) {
  Suspect result;
  result.rule = suspect.rule->id;
  result.code = suspect.rule->code;
  result.what = suspect.rule->what;
  result.basis = audit::to_string(suspect.basis);
  result.sure = suspect.sure;
  result.found = report.recipe && audit::standing(*suspect.rule, report.recipe->result).kind ==
                                      audit::Standing::Kind::found;
  result.grounds = suspect.grounds;
  return result;
}

std::vector<ToldFinding> told_findings(const std::vector<diff::Told>& told) {
  std::vector<ToldFinding> result;
  for (const diff::Told& each : told) {
    result.push_back({each.rule, severity_of(each.severity), each.message});
  }
  return result;
}

}  // namespace

std::vector<Finding> findings_of(const report::LintedFile& file) {
  std::vector<Finding> findings;
  for (const lint::Finding* finding : report::shown(file)) {
    findings.push_back(finding_of(file, *finding));
  }
  return findings;
}

LintResult lint_result(const std::vector<report::LintedFile>& files) {
  LintResult result;
  for (const report::LintedFile& file : files) {
    add_file(file, result);
    result.readable = result.readable || file.recipe->readable;
  }
  if (!files.empty()) {
    const report::LintedFile& first = files.front();
    result.framework = recipe::to_string(first.recipe->framework);
    result.framework_version = first.result.framework_version;
    result.target = first.target;
  }
  return result;
}

FixResult fix_result(const cli::FixedText& fixed, const std::vector<report::LintedFile>& files) {
  FixResult result;
  result.changed = !(fixed.before == fixed.after);
  result.text = fixed.after.bytes;
  result.words = fixed.after.words;
  result.bounded = fixed.bounded;
  for (const report::LintedFile& file : files) {
    if (!file.repaired) {
      continue;
    }
    for (const report::Repaired::Change& change : file.repaired->changes) {
      result.changes.push_back(
          {change.field, change.before, change.after, change.rule, tier_of(change.tier)});
    }
    for (const report::Repaired::Left& left : file.repaired->left) {
      result.errors_left.push_back(
          {std::string(left.rule->id), std::string(left.rule->code), tier_of(left.tier)});
    }
  }
  return result;
}

Prediction prediction_of(const report::SimulatedRecipe& recipe) {
  Prediction result;
  result.path = recipe.path;
  result.framework = recipe.framework;
  result.target = recipe.target;
  result.lint_errors = recipe.lint_errors;
  result.missing = sentences_of(recipe.missing);
  if (!recipe.prediction) {
    return result;
  }
  const sim::Prediction& prediction = *recipe.prediction;
  result.step_time_s = interval_of(prediction.step_time);
  result.tokens_per_s_per_gpu = interval_of(prediction.tokens_per_second);
  result.tflops_per_gpu = interval_of(prediction.flops_per_second, units::kTera);
  result.memory.peak_gib = interval_of(prediction.peak_memory, units::kGiB);
  result.memory.needed_gib = interval_of(prediction.needed_memory, units::kGiB);
  if (prediction.memory_limit > 0) {
    result.memory.limit_gib = prediction.memory_limit / units::kGiB;
    result.memory.out_of_memory = prediction.out_of_memory;
  }
  result.memory.fullest_stage = prediction.memory.fullest;
  for (const sim::WaterfallTerm& term : prediction.waterfall) {
    result.breakdown.push_back({std::string(term.name), term.seconds});
  }
  result.inputs = inputs_of(recipe.inputs);
  return result;
}

Comparison comparison_of(const report::ComparedRecipes& recipes) {
  Comparison result;
  result.target = recipes.a.target;
  result.a = compared_recipe(recipes.a);
  result.b = compared_recipe(recipes.b);
  if (recipes.comparison) {
    const sim::Comparison& comparison = *recipes.comparison;
    result.speedup = interval_of(comparison.speedup);
    result.b_is_faster = comparison.b_is_faster;
    result.faster = faster_of(comparison.verdict);
    for (const sim::CauseOfDifference& cause : comparison.causes) {
      result.causes.push_back({std::string(cause.name), cause.a, cause.b, cause.saved()});
    }
  }
  return result;
}

Advice advice_of(const report::AdvisedRecipe& recipe) {
  const advise::Advice& advice = recipe.advice;
  Advice result;
  result.path = recipe.path;
  result.target = recipe.target;
  for (const fix::Repair& repair : advice.repairs) {
    for (const fix::Repair::Edit& edit : repair.edits) {
      result.repairs.push_back(
          {edit.field, edit.before, edit.after, repair.rule, tier_of(repair.tier)});
    }
  }
  for (const lint::Rule* rule : advice.left) {
    result.errors_left.emplace_back(rule->code);
  }
  result.missing = sentences_of(advice.missing);
  result.repaired_text = advice.mended.bytes;
  result.repair_diff = advice.repair_diff;
  if (!advice.present) {
    return result;
  }
  result.step_time_s = interval_of(advice.present->step_time);
  result.wall = advice.diagnosis.wall;
  result.wall_share = advice.diagnosis.share;
  result.wall_sure = advice.diagnosis.sure;
  result.helps = advice.diagnosis.advice;
  for (const advise::DispatcherRow& row : advice.dispatchers) {
    result.dispatchers.push_back(dispatcher_of(row));
  }
  for (const advise::Plan& plan : advice.plans) {
    result.plans.push_back(plan_of(plan));
  }
  for (const advise::Plan& plan : advice.close) {
    result.too_close.push_back(plan_of(plan));
  }
  return result;
}

LogExplanation explanation_of(const report::CrashReport& report) {
  LogExplanation result;
  for (const report::CrashCase& each : report.cases) {
    Crash& crash = result.crashes.emplace_back();
    crash.exception = each.crash.exception;
    crash.message = each.crash.message;
    crash.line = each.crash.line;
    if (each.trouble) {
      crash.trouble = each.trouble->trouble->name;
      crash.about_trouble = each.trouble->trouble->what;
    }
    for (const audit::Suspect& suspect : each.suspects) {
      crash.suspects.push_back(suspect_of(suspect, report));
    }
  }
  return result;
}

Difference difference_of(const report::RecipeDifference& recipes) {
  Difference result;
  result.before = recipes.before;
  result.after = recipes.after;
  result.target = recipes.target;
  for (const diff::Changed& changed : recipes.difference.changed) {
    result.changed.push_back({changed.field,
                              changed.before,
                              changed.after,
                              std::string(diff::to_string(changed.effect)),
                              changed.about,
                              changed.rules});
  }
  result.introduced = told_findings(recipes.difference.introduced);
  result.removed = told_findings(recipes.difference.removed);
  result.stopped_before = recipes.stopped_before;
  result.stopped_after = recipes.stopped_after;
  if (recipes.predicted_before && recipes.predicted_after) {
    result.step_time_before_s = interval_of(recipes.predicted_before->step_time);
    result.step_time_after_s = interval_of(recipes.predicted_after->step_time);
  }
  return result;
}

Budget budget_of(const report::Budget& budget) {
  return {budget.path,
          budget.option,
          budget.limit,
          budget.state == report::Budget::State::broken ? BudgetState::broken
          : budget.state == report::Budget::State::kept ? BudgetState::kept
                                                        : BudgetState::undecided,
          budget.text};
}

}  // namespace epwise::library
