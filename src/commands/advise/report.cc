#include "commands/advise/report.h"

#include <fmt/format.h>

#include "advise/comparison_tables.h"
#include "base/units/quantity.h"
#include "commands/lint/fix_output.h"
#include "ui/prediction_text.h"

namespace epwise::report {

std::string range_text(const sim::Range& range) {
  return fmt::format(
      "{}, {} to {}", seconds_text(range.value), seconds_text(range.low), seconds_text(range.high));
}

std::string ratio_text(const sim::Range& ratio) {
  return fmt::format("{:.2f} ({:.2f} to {:.2f})", ratio.value, ratio.low, ratio.high);
}

std::string gib_text(double bytes) {
  return fmt::format("{} GiB", count_text(bytes / units::kGiB));
}

std::string change_text(const advise::PlanChange& change) {
  if (change.to.empty()) {
    return "remove " + change.field;
  }
  if (change.from.empty() && change.field.starts_with("--")) {
    // as it is typed
    return change.to == "true" ? "add " + change.field
           : change.several    ? fmt::format("add {} {}", change.field, change.to)
                               : "add " + cli::shell_joined({change.field, change.to});
  }
  return change.from.empty() ? fmt::format("add {}: {}", change.field, change.to)
                             : fmt::format("{}: {} → {}", change.field, change.from, change.to);
}

std::string gain_text(const sim::Range& speedup, sim::Verdict verdict, double tokens) {
  const bool same = tokens == 1;
  return fmt::format("{}{:.2f} times as fast{}, {:.2f} to {:.2f} (80 % interval){}",
                     verdict == sim::Verdict::too_close ? "too close to call: " : "",
                     speedup.value,
                     same ? "" : " per token",
                     speedup.low,
                     speedup.high,
                     same ? "" : fmt::format("; a step has {:.3g} times the tokens", tokens));
}

std::string reference_text(const lint::Reference& reference) {
  return fmt::format("{}{}{}{}{}",
                     reference.repository,
                     reference.repository.empty() ? "" : " ",
                     reference.path,
                     reference.lines.empty() ? "" : ":",
                     reference.lines);
}

namespace {

constexpr double kSurely = 0.9;  // out of memory

}  // namespace

std::string risk_of_memory_text(double out_of_memory, bool fits) {
  if (out_of_memory <= advise::kMostMemoryRisk) {
    return "";
  }
  return fmt::format(" ({}{:.0f} % probability of running out{})",
                     fits || out_of_memory < kSurely ? "" : "does not fit: ",
                     100 * out_of_memory,
                     fits ? "; the recipe itself needs no less" : "");
}

std::string large_count_text(double count) {
  constexpr double kExact = 1e6;
  if (count < kExact) {
    return fmt::format("{:.0f}", count);
  }
  constexpr std::array<std::string_view, 3> kUnits = {"million", "billion", "trillion"};
  double rest = count / kExact;
  std::size_t unit = 0;
  for (constexpr double kNext = 1000; rest >= kNext && unit + 1 < kUnits.size(); ++unit) {
    rest /= kNext;
  }
  return fmt::format("about {:.0f} {}", rest, kUnits[unit]);
}

std::string headline_text(const advise::Plan& plan) {
  if (plan.means.empty() && plan.saved_memory > 0) {
    // whether it is faster is not the question
    return fmt::format("{} less memory; {}",
                       gib_text(plan.saved_memory),
                       gain_text(plan.speedup, sim::Verdict::b));
  }
  if (plan.means.empty()) {
    return gain_text(plan.speedup, plan.verdict);
  }
  const std::string risk =
      plan.memory_limit > 0
          ? fmt::format(" ({:.0f} % probability of running out)", 100 * plan.out_of_memory)
          : "";
  const bool surely = plan.out_of_memory <= advise::kMostMemoryRisk;
  return fmt::format("{}: {}{}", surely ? "fits" : "may fit", plan.means, risk);
}

std::string reason_text(const fix::Repair& repair) {
  return repair.rule + (repair.tier == lint::Tier::training ? ", changes training" : "");
}

std::string refusal_text(const advise::Legality& legality) {
  const bool warned = legality.rule != nullptr && legality.rule->severity < lint::Severity::error;
  return (warned ? "lint warns against it: " : "not valid: ") + reason_text(legality);
}

std::string rung_text(const advise::RungState& rung) {
  return rung.title + (rung.move.empty() || rung.move == "on" ? "" : ": " + rung.move_title);
}

std::string effect_text(const advise::RungState& rung) {
  constexpr double kShown = 0.005;  // the smallest change of a ratio of two decimals
  const bool small = std::abs(rung.added->value - 1) < kShown;
  switch (rung.verdict) {
    case sim::Verdict::b:
      return small ? "a gain below 0.5 %" : "a gain";
    case sim::Verdict::a:
      return small ? "a loss below 0.5 %" : "a loss";
    default:
      return "no clear gain";
  }
}

std::string overflow_text(double out_of_memory) {
  return out_of_memory <= advise::kMostMemoryRisk ? ""
         : out_of_memory >= kSurely               ? "does not fit"
                                    : fmt::format("may not fit ({:.0f} %)", 100 * out_of_memory);
}

std::string documented_text(const advise::Plan& plan) {
  if (!plan.documented) {
    return "";
  }
  const advise::DocumentedInstead& other = *plan.documented;
  const std::string head = fmt::format("documents recommend {}, with which this plan ", other.name);
  if (!other.lost.empty()) {
    return fmt::format("{}cannot have {}", head, other.lost);
  }
  if (!other.legality.legal) {
    return fmt::format("{}is not valid: {}", head, reason_text(other.legality));
  }
  if (!other.step) {
    return head + "cannot be predicted";
  }
  const std::string overflow =
      other.fits ? "" : fmt::format("; it does not fit: {} needed", gib_text(other.needed_memory));
  return fmt::format("{}takes {}, {}{}",
                     head,
                     seconds_text(other.step->value),
                     other.verdict == sim::Verdict::b   ? "certainly longer"
                     : other.verdict == sim::Verdict::a ? "certainly less"
                                                        : "too close to call",
                     overflow);
}

std::string gainers_text(const advise::RungState& rung) {
  if (!rung.gainers_gain) {
    return "";
  }
  return fmt::format("not counted: the gain of {} alone, {}",
                     advise::assignments_text(rung.gainers),
                     ratio_text(*rung.gainers_gain));
}

std::string step_label(const advise::Advice& advice, std::string_view what) {
  return fmt::format("{}{}",
                     what,
                     !advice.settled.empty()   ? ", set"
                     : !advice.repairs.empty() ? ", fixed"
                                               : " now");
}

std::string settles_text(const lint::Rule& rule) {
  return fmt::format("settles {} ({})", rule.code, rule.id);
}

std::string plans_title(const advise::Advice& advice) {
  if (advice.bring_up) {
    return "bring-up: the plainest configuration first, whatever it costs";
  }
  if (advice.fitting) {
    return "the recipe does not fit: ways to make it fit, in the documents' order, each "
           "faster than the one before";
  }
  const bool fit = std::ranges::all_of(advice.plans, [](const advise::Plan& plan) {
    return plan.out_of_memory <= advise::kMostMemoryRisk;
  });
  return fmt::format("goal: {}; each {} and {}",
                     to_string(advice.goal),
                     advice.left.empty() ? "passes lint" : "adds no finding to those left",
                     fit ? "fits in memory" : "needs no more memory than the recipe");
}

std::string shortage_text(const advise::Shortage& shortage) {
  const double lacking = shortage.least - shortage.limit;
  return fmt::format(
      "Nothing fits: the leanest variant needs {} of {}, {}. {}",
      gib_text(shortage.least),
      gib_text(shortage.limit),
      lacking > 0 ? gib_text(lacking) + " too much"
                  : "which more than one time in ten is not enough",
      shortage.gpus > 0 ? fmt::format("A variant fits on {} GPUs.", shortage.gpus)
                        : fmt::format("No number of GPUs up to {} is enough.", shortage.most_gpus));
}

std::string no_plan_text(const advise::Advice& advice) {
  if (advice.tally.stopped) {
    return "The search was cut short before it found a plan.";
  }
  if (advice.shortage) {
    return shortage_text(*advice.shortage);
  }
  if (advice.fitting) {
    return "No plan makes the recipe fit without new findings.";
  }
  if (advice.bring_up) {
    return "The recipe is as plain as a bring-up needs: keep it.";
  }
  if (!advice.left.empty()) {
    return "No change tried here makes the recipe start: fix the errors above first.";
  }
  const bool close = !advice.close.empty();
  const std::string nothing =
      fmt::format("Nothing is {}better than the recipe as it is", close ? "certainly " : "");
  if (advice.fits_risk > advise::kMostMemoryRisk) {
    return fmt::format(
        "{}{} if it runs at all: {:.0f} % probability of running out of memory; "
        "`--goal memory` finds what needs less.",
        nothing,
        close ? ": keep it" : ",",
        100 * advice.fits_risk);
  }
  const bool changed = !advice.settled.empty() || !advice.repairs.empty();
  return nothing + (!close ? "." : changed ? ": keep it, with the changes above." : ": keep it.");
}

std::string shares_text(const advise::Diagnosis& diagnosis) {
  std::string text;
  for (const auto& [name, share] : diagnosis.shares) {
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", name, 100 * share);
    if (name == "compute" && diagnosis.arithmetic > 0) {
      text += fmt::format(" ({:.0f} % at the GPU's peak rate)", 100 * diagnosis.arithmetic);
    }
  }
  return text;
}

std::string tie_text(const advise::DispatcherRow& row) {
  if (row.documented) {
    return "first of a tie: the documents' choice";
  }
  return row.tie && row.rank > 1 ? "too close to rank 1 to call" : "";
}

std::string reason_text(const advise::Legality& legality) {
  return legality.rule == nullptr ? legality.reason
                                  : fmt::format("{} ({})", legality.reason, legality.rule->code);
}

std::string published_text(const advise::PublishedRow& row) {
  const advise::PublishedRuns& runs = row.runs;
  const bool memory = runs.unit == advise::PublishedUnit::gib;
  std::string figures;
  for (const advise::PublishedRun& run : runs.runs) {
    figures += fmt::format("{}{} {} {}",
                           figures.empty() ? "" : ", ",
                           run.dispatcher,
                           count_text(run.figure),
                           to_string(runs.unit));
  }
  const std::string& first = runs.runs.front().dispatcher;
  const std::string& second = runs.runs.back().dispatcher;
  const auto shown = [&](double ratio) { return memory ? 1 / ratio : ratio; };
  const std::string theirs = fmt::format("{} {} {:.2f} times {} {}",
                                         second,
                                         memory ? "needs" : "is",
                                         shown(row.measured),
                                         memory ? "the memory of" : "as fast as",
                                         first);
  // Another recipe, mostly on another GPU: the second ratio does not predict the first.
  const std::string own =
      row.predicted > 0 ? fmt::format("; in yours, {:.2f} times is predicted", shown(row.predicted))
                        : "";
  return fmt::format("{} on {}{}{}, {} ({}): {}; in that recipe {}{}",
                     runs.model,
                     runs.gpus > 0 ? fmt::format("{} ", runs.gpus) : "",
                     runs.hw,
                     runs.expert_ranks > 0 ? fmt::format(", EP {}", runs.expert_ranks) : "",
                     runs.precision,
                     row.likeness,
                     figures,
                     theirs,
                     own);
}

std::string published_source(const advise::PublishedRuns& runs) {
  return fmt::format("{}, {}, {}{}{}",
                     runs.source,
                     runs.date,
                     runs.status,
                     runs.caution.empty() ? "" : "; ",
                     runs.caution);
}

std::string companions_text(const std::vector<advise::PlanChange>& changes) {
  return changes.empty() ? std::string() : "with " + advise::assignments_text(changes);
}

std::string measured_text(const advise::Anchor& anchor) {
  constexpr double kHundred = 100;
  std::string text;
  const auto add = [&](const char* what, double share) {
    if (share > 0) {
      text += fmt::format("{}{} {:.1f} %", text.empty() ? "" : ", ", what, share * kHundred);
    }
  };
  add("only communication", anchor.exposed);
  add("matrix products", anchor.products);
  add("no kernel", anchor.idle);
  if (anchor.dispatch > 0 && !anchor.source.empty()) {
    text +=
        fmt::format("{}one exchange {}", text.empty() ? "" : ", ", seconds_text(anchor.dispatch));
  }
  if (anchor.source.empty()) {
    return text;
  }
  return text.empty() ? anchor.source : anchor.source + ": " + text;
}

std::string anchor_text(const advise::Anchor& anchor) {
  std::string text = fmt::format("measured; {} were predicted", seconds_text(anchor.predicted));
  constexpr double kAnother = 3;  // no published run is so far from its prediction
  if (anchor.measured > kAnother * anchor.predicted ||
      anchor.predicted > kAnother * anchor.measured) {
    text += ", so far apart that the measurement may be of another recipe, GPU or number of GPUs";
  }
  if (const std::string shares = measured_text(anchor); !shares.empty()) {
    text += "; " + shares;
  }
  return anchor.mixed ? fmt::format("{}. {}", text, kMixedSends) : text;
}

std::optional<AdviceList> settled_list(const advise::Advice& advice) {
  if (advice.settled.empty()) {
    return std::nullopt;
  }
  AdviceList list{
      advice.purpose == "benchmark" ? "Set for the benchmark" : "Set for " + advice.purpose,
      "the purpose asks for it; everything below is relative to it",
      {}};
  for (const fix::Repair& repair : advice.settled) {
    for (const fix::Repair::Edit& edit : repair.edits) {
      list.lines.push_back(fmt::format("{} ({})", fix::to_text(edit), repair.rule));
    }
  }
  return list;
}

std::vector<AdviceList> purpose_lists(const advise::Advice& advice) {
  std::vector<AdviceList> lists;
  if (!advice.next.empty()) {
    AdviceList& list = lists.emplace_back();
    list = {"After bring-up", "one at a time, on the same stack and routing", {}, true};
    for (const advise::BringUp& each : advice.next) {
      list.lines.push_back(fmt::format("{}; check {}", each.what, each.check));
    }
  }
  if (!advice.tuning.empty()) {
    AdviceList& list = lists.emplace_back();
    list = {
        "Tuning", "the way to plan 1, one knob at a time, on the same stack and routing", {}, true};
    for (const advise::TuningStep& each : advice.tuning) {
      list.lines.push_back(fmt::format("{}: step {} to {}, {}{}; then limited by {}; check {}",
                                       each.what,
                                       seconds_text(each.step.low),
                                       seconds_text(each.step.high),
                                       gain_text(each.added, each.verdict),
                                       each.keep.empty() ? "" : "; keep it: " + each.keep,
                                       each.wall,
                                       each.check));
    }
  }
  if (!advice.withheld.empty()) {
    lists.push_back(
        {"Not tried",
         "--may-change with its name tries it, and --purpose benchmark what changes the training",
         advice.withheld,
         false});
  }
  if (!advice.remarks.empty()) {
    lists.push_back({"For this purpose", "findings on the recipe itself", advice.remarks, false});
  }
  if (!advice.procedure.empty()) {
    lists.push_back({"How to measure", "", advice.procedure, false});
  }
  return lists;
}

std::string_view to_string(advise::Goal goal) {
  switch (goal) {
    case advise::Goal::speed:
      return "speed";
    case advise::Goal::memory:
      return "memory";
    case advise::Goal::safe:
      break;
  }
  return "safe";
}

}  // namespace epwise::report
