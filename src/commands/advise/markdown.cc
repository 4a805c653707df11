#include <string>

#include <fmt/format.h>

#include "commands/advise/report.h"
#include "commands/simulate/report.h"
#include "ui/findings/rule_help.h"
#include "ui/markup.h"
#include "ui/prediction_text.h"

namespace epwise::report {
namespace {

using advise::Advice;

std::string dispatcher_rows(const Advice& advice) {
  std::string out =
      "\n### Dispatchers\n\n| rank | dispatcher | step | 80 % | memory | SMs | |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const advise::DispatcherRow& row : advice.dispatchers) {
    const std::string name = row.name + (row.present ? " (now)" : "");
    if (!row.legality.legal || !row.step) {
      out += fmt::format("| – | {} | | | | | {} |\n",
                         name,
                         markdown(row.legality.legal ? "no prediction: " + row.legality.reason
                                                     : refusal_text(row.legality)));
      continue;
    }
    std::string more = tie_text(row);
    more += row.tie && row.rank > 1 ? "; to decide: " + row.measurement : "";
    const std::string overflow = overflow_text(row.out_of_memory);
    more += (more.empty() || overflow.empty() ? "" : "; ") + overflow;
    out += fmt::format("| {} | {} | {} | {} to {} | {} | {} | {} |\n",
                       row.rank,
                       name,
                       seconds_text(row.step->value),
                       seconds_text(row.step->low),
                       seconds_text(row.step->high),
                       gib_text(row.needed_memory),
                       row.sms,
                       table_cell(more));
  }
  return out;
}

std::string ladder_rows(const Advice& advice) {
  std::string out = fmt::format(
      "\n### Overlap ladder\n\n| | step | added | alone | |\n|---|---|---|---|---|\n"
      "| none | {} | | | |\n",
      seconds_text(advice.ladder_start.value));
  for (const advise::RungState& rung : advice.ladder) {
    if (!rung.step) {
      out +=
          fmt::format("| + {} | | | | {} |\n", rung.title, markdown(refusal_text(rung.legality)));
      continue;
    }
    const std::string gainers = gainers_text(rung);
    out += fmt::format("| + {} ({}) | {} | {} | {} | {}{} |\n",
                       rung.title,
                       rung.move_title,
                       seconds_text(rung.step->value),
                       ratio_text(*rung.added),
                       rung.alone ? ratio_text(*rung.alone) : "",
                       effect_text(rung),
                       gainers.empty() ? "" : "; " + table_cell(gainers));
  }
  return out;
}

std::string choice_part(const advise::Choice& choice) {
  std::string out = fmt::format("\n**{}**: {}\n", choice.name, choice.because);
  if (!choice.published.empty()) {
    out += "\n### Published runs\n\n";
  }
  for (const advise::PublishedRow& row : choice.published) {
    out += fmt::format("- {}: {}\n", published_text(row), published_source(row.runs));
  }
  return out;
}

std::string plan_part(const advise::Plan& plan, int number) {
  std::string out = fmt::format(
      "\n**{}. {}**; step {}, memory {}{}, risk {}; event simulation: {:.2f} times as fast\n\n",
      number,
      headline_text(plan),
      seconds_text(plan.step.value),
      gib_text(plan.needed_memory),
      plan.memory_limit > 0 ? " of " + gib_text(plan.memory_limit) : "",
      advise::to_string(plan.risk),
      plan.event_speedup);
  for (const advise::PlanChange& change : plan.changes) {
    out += fmt::format("- {} ({})\n", code_span(change_text(change)), lint::to_string(change.tier));
  }
  if (const std::string why = documented_text(plan); !why.empty()) {
    out += fmt::format("- {}\n", markdown(why));
  }
  for (const auto& [name, value] : plan.environment) {
    out += fmt::format("- launch with {}\n", code_span(name + "=" + value));
  }
  for (const lint::Rule* rule : plan.settles) {
    out += fmt::format("- {}\n", settles_text(*rule));
  }
  for (const advise::BringUp& each : plan.bring_up) {
    out += fmt::format("- bring up {}; check {}\n", each.what, each.check);
  }
  for (const std::string& risk : plan.risks) {
    out += fmt::format("- risk: {}\n", markdown(risk));
  }
  if (!plan.measurement.empty()) {
    out += fmt::format("- to decide: {}\n", plan.measurement);
  }
  if (!plan.obstacle.empty()) {
    out += fmt::format("- not applied automatically: {}\n", markdown(plan.obstacle));
  }
  if (!plan.diff.empty()) {
    out += "\n" + code_block(plan.diff, "diff");
  }
  return out;
}

std::string list_part(const AdviceList& list) {
  std::string out = fmt::format("\n### {}\n\n", list.title);
  out += list.about.empty() ? "" : list.about + "\n\n";
  for (const std::string& line : list.lines) {
    out += (list.numbered ? "1. " : "- ") + markdown(line) + "\n";
  }
  return out;
}

/// The plans, what counts for the purpose alone, and plans that are too close to call.
std::string plan_parts(const Advice& advice) {
  std::string out;
  int number = 0;
  for (const advise::Plan& plan : advice.plans) {
    out += plan_part(plan, ++number);
  }
  for (const AdviceList& list : purpose_lists(advice)) {
    out += list_part(list);
  }
  out += advice.close.empty() ? "" : "\n### Too close to call\n";
  for (const advise::Plan& plan : advice.close) {
    out += plan_part(plan, ++number);
  }
  return out;
}

}  // namespace

std::string advise_markdown(const AdvisedRecipe& recipe) {
  const Advice& advice = recipe.advice;
  std::string out = fmt::format("## {} on {}\n", code_span(recipe.path), markdown(recipe.against));
  if (!recipe.simulated.empty()) {
    out += fmt::format("\nSimulated: {}.\n", markdown(recipe.simulated));
  }
  if (!recipe.accepted.empty()) {
    out += fmt::format("\n{}\n", markdown(recipe.accepted));
  }
  if (!advice.present) {
    out += "\nNo advice; missing facts:\n\n";
    for (const text::Diagnostic& each : advice.missing) {
      out += fmt::format("- {}\n", markdown(missing_text(each)));
    }
    return out;
  }
  const double limit = advice.present->memory_limit;
  out += fmt::format("\n{} {}; {} {}{}; limited by **{}** ({:.0f} % sure).\n",
                     step_label(advice, "Step"),
                     range_text(advice.present->step_time),
                     step_label(advice, "memory"),
                     gib_text(advice.present->needed_memory.value),
                     limit > 0 ? fmt::format(" of {}, {:.0f} % probability of running out",
                                             gib_text(limit),
                                             100 * advice.fits_risk)
                               : "",
                     advice.diagnosis.wall,
                     100 * advice.diagnosis.sure);
  for (const std::string& each : advice.fitted) {
    out += "\n- " + markdown(each) + '\n';
  }
  if (advice.anchor) {
    out += fmt::format("\nThe step is {}.\n", anchor_text(*advice.anchor));
  }
  if (advice.calibration) {
    out += fmt::format("\nCalibration {}.\n", calibration_sentence(*advice.calibration));
  }
  for (const fix::Repair& repair : advice.repairs) {
    for (const fix::Repair::Edit& edit : repair.edits) {
      out += fmt::format(
          "- fixed first: {} ({})\n", code_span(fix::to_text(edit)), reason_text(repair));
    }
  }
  if (const auto settled = settled_list(advice)) {
    out += list_part(*settled);
  }
  if (!advice.dispatchers.empty()) {
    out += dispatcher_rows(advice);
  }
  if (!advice.ladder.empty()) {
    out += ladder_rows(advice);
  }
  if (advice.choice) {
    return out + choice_part(*advice.choice);
  }
  out += fmt::format("\n### Plans\n{}", advice.fitting ? "\n" + plans_title(advice) + "\n" : "");
  if (advice.plans.empty()) {
    out += fmt::format("\n{}\n", no_plan_text(advice));
  }
  return out + plan_parts(advice);
}

}  // namespace epwise::report
