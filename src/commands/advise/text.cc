#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "commands/advise/report.h"
#include "commands/simulate/report.h"
#include "ui/columns.h"
#include "ui/findings/lint_report.h"
#include "ui/prediction_text.h"
#include "ui/style.h"

namespace epwise::report {

namespace {

using advise::Advice;
using advise::Plan;

constexpr int kAdviceNameWidth = 16;

class AdviceText {
 public:
  explicit AdviceText(const Style& style) : style_(style), paint_(style.colour, style.hyperlinks) {}

  std::string run(const AdvisedRecipe& recipe) {
    const Advice& advice = recipe.advice;
    line(paint_(Role::strong, safe(recipe.path)) + " on " + safe(recipe.against));
    if (!advice.present) {
      line(paint_(Role::error, "  no advice; missing facts:"));
      for (const text::Diagnostic& each : advice.missing) {
        say("  - ", missing_text(each));
      }
      return std::move(out_);
    }
    if (!recipe.accepted.empty()) {
      say("  ", safe(recipe.accepted), Role::warning);
    }
    if (!recipe.simulated.empty()) {
      say(fmt::format("  {:<{}}", "simulated", kAdviceNameWidth), recipe.simulated);
    }
    present(advice);
    repairs(advice);
    if (const auto settled = settled_list(advice)) {
      list(*settled);
    }
    dispatchers(advice);
    sweeps(advice);
    if (advice.choice) {
      choice(*advice.choice);
      return std::move(out_);
    }
    ladder(advice);
    plans(advice);
    rivals(recipe);
    tally(advice);
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_ += text + '\n'; }

  std::string safe(std::string_view text) const { return printable(text, style_.unicode); }

  /// A sentence wrapped over several lines, after its indent.
  void say(const std::string& indent, std::string_view text, Role role = Role::plain) {
    const int width = style_.width - static_cast<int>(indent.size());
    bool first = true;
    for (const std::string& part : wrap(safe(text), width)) {
      line((first ? indent : std::string(indent.size(), ' ')) + paint_(role, part));
      first = false;
    }
  }

  void title(std::string_view text, std::string_view more = {}) {
    line("");
    line(paint_(Role::strong, text) + (more.empty() ? "" : paint_(Role::dim, "  " + safe(more))));
  }

  /// Results of a profile besides the step.
  void measured(const advise::Anchor& anchor) {
    const std::string shares = measured_text(anchor);
    const std::string indent = fmt::format("  {:<{}}", "", kAdviceNameWidth);
    if (!shares.empty()) {
      say(indent, shares, Role::dim);
    }
    if (anchor.mixed) {
      say(indent, kMixedSends, Role::warning);
    }
  }

  void calibration(const sim::CalibrationEffect& effect) {
    const std::string indent = fmt::format("  {:<{}}", "", kAdviceNameWidth);
    say(fmt::format("  {:<{}}", "calibration", kAdviceNameWidth),
        fmt::format("{} ({})", effect.path, effect.device),
        Role::dim);
    for (const std::string& each : calibration_lines(effect)) {
      say(indent, each, Role::dim);
    }
    for (const std::string& note : effect.notes) {
      say(indent, note, Role::warning);
    }
  }

  void present(const Advice& advice) {
    const sim::Prediction& now = *advice.present;
    line(fmt::format("  {:<{}}{:>9}   ",
                     step_label(advice, "step"),
                     kAdviceNameWidth,
                     seconds_text(now.step_time.value)) +
         paint_(Role::dim,
                fmt::format("{} to {} (80 % interval)",
                            seconds_text(now.step_time.low),
                            seconds_text(now.step_time.high))));
    if (advice.anchor) {
      line(fmt::format("  {:<{}}{:>9}   ", "", kAdviceNameWidth, "measured") +
           paint_(Role::dim,
                  fmt::format("{} were predicted; everything below is adjusted to it",
                              seconds_text(advice.anchor->predicted))));
      measured(*advice.anchor);
    }
    if (advice.doubtful_dispatch) {
      say("  ",
          "the measured dispatch_time is not used: it is inconsistent with the measured step time",
          Role::warning);
    }
    for (const std::string& each : advice.fitted) {
      say(fmt::format("  {:<{}}", "", kAdviceNameWidth), each, Role::dim);
    }
    if (advice.calibration) {
      calibration(*advice.calibration);
    }
    const double limit = now.memory_limit;
    line(fmt::format("  {:<{}}{:>9}   ",
                     step_label(advice, "memory"),
                     kAdviceNameWidth,
                     gib_text(now.needed_memory.value)) +
         paint_(advice.fits_risk > 0.5 ? Role::error : Role::dim,
                limit > 0 ? fmt::format("of {}; {:.0f} % probability of running out",
                                        gib_text(limit),
                                        100 * advice.fits_risk)
                          : "of unknown capacity"));
    if (const auto step = std::ranges::find(advice.inputs, "step", &workload::Input::key);
        step != advice.inputs.end()) {
      say(fmt::format("  {:<{}}", "a step is", kAdviceNameWidth),
          fmt::format("{}: {}", step->value, step->why),
          Role::dim);
    }
    line(fmt::format("  {:<{}}", "limited by", kAdviceNameWidth) +
         paint_(Role::strong, advice.diagnosis.wall) +
         fmt::format(", {:.0f} % sure", 100 * advice.diagnosis.sure));
    say(fmt::format("  {:<{}}", "of the step", kAdviceNameWidth),
        shares_text(advice.diagnosis),
        Role::dim);
    say(fmt::format("  {:<{}}", "usually helps", kAdviceNameWidth),
        advice.diagnosis.advice,
        Role::dim);
    for (const advise::Diagnosis::Beside& each : advice.diagnosis.beside) {
      say(fmt::format("  {:<{}}", "besides", kAdviceNameWidth),
          fmt::format("{}, {:.0f} %: {}", each.wall, 100 * each.share, each.advice),
          Role::dim);
    }
  }

  void repairs(const Advice& advice) {
    if (!advice.repairs.empty()) {
      title("FIXED FIRST",
            "lint finds errors; everything below is relative to the fixed recipe, patches to the "
            "file");
      for (const fix::Repair& repair : advice.repairs) {
        for (const fix::Repair::Edit& edit : repair.edits) {
          say("  ", fmt::format("{} ({})", fix::to_text(edit), reason_text(repair)));
        }
      }
    }
    if (!advice.left.empty()) {
      say("  ",
          fmt::format("{} that no fix of lint settles; a plan that settles one says so",
                      counted(static_cast<int>(advice.left.size()), "error")),
          Role::error);
      for (const lint::Rule* rule : advice.left) {
        say("  - ", fmt::format("{}: {}", rule->code, rule->what), Role::error);
      }
    }
  }

  void dispatchers(const Advice& advice) {
    if (advice.dispatchers.empty()) {
      return;
    }
    title("DISPATCHERS", "everything else unchanged, except the SM count of another dispatcher");
    for (const advise::DispatcherRow& row : advice.dispatchers) {
      const std::string name = row.name + (row.present ? " *" : "");
      if (!row.legality.legal) {
        line(fmt::format("  -  {:<13}", name) +
             paint_(Role::error, safe(refusal_text(row.legality))));
      } else if (!row.step) {
        line(fmt::format("  -  {:<13}no prediction: {}", name, safe(row.legality.reason)));
      } else {
        std::string more = tie_text(row);
        if (const std::string overflow = overflow_text(row.out_of_memory); !overflow.empty()) {
          more += std::string(more.empty() ? "" : "; ") + overflow;
        }
        line(fmt::format(
                 "  {}  {:<13}{:>9}  {:>19}  {:>9}  {:>3} SMs",
                 row.rank,
                 name,
                 seconds_text(row.step->value),
                 fmt::format("{} to {}", seconds_text(row.step->low), seconds_text(row.step->high)),
                 gib_text(row.needed_memory),
                 row.sms) +
             (more.empty() ? "" : "  " + paint_(Role::warning, more)));
      }
      details(row);
    }
    line(paint_(Role::dim, "  * current value of the recipe"));
  }

  void choice(const advise::Choice& choice) {
    title("WHICH DISPATCHER");
    say("  ",
        choice.name.empty() ? choice.because : fmt::format("{}: {}", choice.name, choice.because));
    if (!choice.documented.empty()) {
      say("  ",
          fmt::format("documents on this hardware: {} (Megatron-Bridge, "
                      "skills/perf-moe-dispatcher-selection and docs/training/moe-optimization.md)",
                      choice.documented),
          Role::dim);
    }
    if (!choice.family.empty()) {
      say("  ", "documents on " + choice.family, Role::dim);
    }
    if (!choice.memory.empty()) {
      say("  ", "memory: " + choice.memory);
    }
    published(choice);
  }

  void published(const advise::Choice& choice) {
    if (choice.published.empty()) {
      return;
    }
    title("PUBLISHED RUNS", "that differ in the dispatcher; predicted: for this recipe");
    for (const advise::PublishedRow& row : choice.published) {
      say("  ", published_text(row));
      say("      ", published_source(row.runs), Role::dim);
    }
  }

  void details(const advise::DispatcherRow& row) {
    const std::string indent(18, ' ');
    if (const std::string with = companions_text(row.legality.with); !with.empty()) {
      say(indent, with, Role::dim);
    }
    if (row.legality.rule != nullptr && !row.legality.rule->prose->references.empty()) {
      say(indent, "see " + reference_text(row.legality.rule->prose->references.front()), Role::dim);
    }
    if (!row.measurement.empty()) {
      say(indent, "to decide: " + row.measurement, Role::dim);
    }
    if (!row.guidance.empty()) {
      say(indent, "documents: " + row.guidance, Role::dim);
    }
  }

  void sweeps(const Advice& advice) {
    if (advice.sweeps.empty()) {
      return;
    }
    title("SM COUNTS",
          "the best counts differ by 0.5 % at most; another count is suggested only if it is "
          "certainly faster");
    for (const advise::SmSweep& sweep : advice.sweeps) {
      const std::string what = !sweep.in_use ? fmt::format("use {}", sweep.chosen)
                               : sweep.chosen == sweep.present
                                   ? fmt::format("keep {}", sweep.present)
                                   : fmt::format("{} → {}", sweep.present, sweep.chosen);
      const std::string best =
          sweep.flat_from == sweep.flat_to
              ? fmt::format("the best count is {}", sweep.flat_from)
              : fmt::format("the best counts are {} to {}", sweep.flat_from, sweep.flat_to);
      constexpr double kAsFast = 0.0005;
      const std::string lost =
          sweep.regret < kAsFast
              ? "as fast as the best"
              : fmt::format("at most {:.1f} % slower than the best", 100 * sweep.regret);
      line(fmt::format("  {:<{}}{}: {}; {}{}",
                       sweep.dispatcher,
                       kAdviceNameWidth,
                       what,
                       lost,
                       best,
                       sweep.of_plan ? ", with the rest of plan 1" : ""));
      if (advice.choice) {
        points(sweep);
      }
    }
  }

  /// The step at each count.
  void points(const advise::SmSweep& sweep) {
    constexpr int kApart = 4;  // SMs
    std::string text;
    int last = 0;
    for (const advise::SmSweep::Point& point : sweep.points) {
      if (text.empty() || point.sms >= last + kApart) {
        text +=
            fmt::format("{}{}: {}", text.empty() ? "" : ", ", point.sms, seconds_text(point.step));
        last = point.sms;
      }
    }
    say(std::string(2 + kAdviceNameWidth, ' '), text, Role::dim);
  }

  void ladder(const Advice& advice) {
    if (advice.ladder.empty()) {
      return;
    }
    title("OVERLAP LADDER",
          "from a run without any of them, each added to those above; alone: without them");
    // The recipe is the row with its step; of several graph modules it may have others than the best.
    const double now = advice.present->step_time.value;
    bool shown = false;
    const auto star = [&](double step) {
      const bool here = step == now && !shown;
      shown = shown || here;
      return here ? " *" : "";
    };
    const double none = advice.ladder_start.value;
    line(fmt::format("  {:<36}{:>9}", std::string("none") + star(none), seconds_text(none)));
    for (const advise::RungState& rung : advice.ladder) {
      const std::string name = "+ " + rung_text(rung) + (rung.step ? star(rung.step->value) : "");
      line(fmt::format("  {:<36}", name) +
           (rung.step ? effect_of(rung) : paint_(Role::error, safe(refusal_text(rung.legality)))));
      needs(rung);
    }
    if (!shown) {
      line(fmt::format("  {:<36}{:>9}", "the recipe as it is *", seconds_text(now)));
    }
  }

  /// The step with a rung that is valid, what the rung adds, and what it does alone.
  std::string effect_of(const advise::RungState& rung) const {
    std::string what = effect_text(rung);
    const std::string overflow = overflow_text(rung.out_of_memory);
    what += (overflow.empty() ? "" : "; ") + overflow;
    return fmt::format("{:>9}  {:<21}  ", seconds_text(rung.step->value), ratio_text(*rung.added)) +
           paint_(rung.verdict == sim::Verdict::b ? Role::good : Role::warning, what) +
           (rung.alone ? paint_(Role::dim, "  alone " + ratio_text(*rung.alone)) : "");
  }

  void needs(const advise::RungState& rung) {
    std::string missing;
    for (const advise::NeedState& need : rung.needs) {
      if (!need.met) {
        missing += fmt::format(
            "{}{}{}", missing.empty() ? "" : "; ", need.what, need.arranged ? " (included)" : "");
      }
    }
    const std::string indent(26, ' ');
    if (!missing.empty()) {
      say(indent, "needs " + missing, Role::dim);
    } else if (!rung.needs.empty() && rung.step && rung.legality.with.empty()) {
      say(indent, "has everything it needs", Role::dim);
    }
    for (const std::string& more : {companions_text(rung.legality.with), gainers_text(rung)}) {
      if (!more.empty()) {
        say(indent, more, Role::dim);
      }
    }
  }

  void plans(const Advice& advice) {
    title("PLANS", plans_title(advice));
    if (advice.plans.empty()) {
      say("  ", no_plan_text(advice));
    }
    int number = 0;
    for (const Plan& plan : advice.plans) {
      ++number;
      show(plan, number, number == 1 || style_.verbose);
    }
    for (const AdviceList& each : purpose_lists(advice)) {
      list(each);
    }
    if (!advice.close.empty()) {
      title("TOO CLOSE TO CALL", "worth measuring; not a recommendation");
      for (const Plan& plan : advice.close) {
        show(plan, ++number, style_.verbose);
      }
    }
  }

  void list(const AdviceList& list) {
    title(text::upper(list.title), list.about);
    int step = 0;
    for (const std::string& each : list.lines) {
      ++step;
      say(list.numbered ? fmt::format("  {:>2}. ", step) : "  - ", each);
    }
  }

  void show(const Plan& plan, int number, bool in_full) {
    const std::string memory =
        plan.memory_limit > 0
            ? fmt::format("{} of {}{}",
                          gib_text(plan.needed_memory),
                          gib_text(plan.memory_limit),
                          plan.means.empty() ? risk_of_memory_text(plan.out_of_memory, true) : "")
            : gib_text(plan.needed_memory);
    line(fmt::format("  {}. ", number) + paint_(Role::strong, headline_text(plan)) +
         fmt::format("; step {}, memory {}, risk {}",
                     seconds_text(plan.step.value),
                     memory,
                     advise::to_string(plan.risk)));
    for (const advise::PlanChange& change : plan.changes) {
      say("       ",
          change_text(change) +
              (change.tier == lint::Tier::training ? "  (changes training)" : ""));
    }
    if (const std::string why = documented_text(plan); !why.empty()) {
      say("       ", why, Role::dim);
    }
    for (const auto& [name, value] : plan.environment) {
      say("       ", fmt::format("launch with {}={}", name, value));
    }
    for (const lint::Rule* rule : plan.settles) {
      say("       ", settles_text(*rule));
    }
    if (!plan.measurement.empty()) {
      say("       ", "to decide: " + plan.measurement, Role::dim);
    }
    if (!in_full) {
      return;
    }
    say("       ",
        fmt::format("event simulation: {:.2f} times as fast", plan.event_speedup),
        Role::dim);
    int step = 0;
    for (const advise::BringUp& each : plan.bring_up) {
      say(fmt::format("       bring up {}: ", ++step),
          fmt::format("{}; check {}", each.what, each.check),
          Role::dim);
    }
    for (const std::string& risk : plan.risks) {
      say("       risk: ", risk, Role::dim);
    }
    if (!plan.obstacle.empty()) {
      say("       ", "not applied automatically: " + plan.obstacle, Role::warning);
    }
    diff(plan.diff);
  }

  void diff(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      const std::string_view row = text.substr(0, end);
      const Role role = row.starts_with('+')   ? Role::good
                        : row.starts_with('-') ? Role::error
                                               : Role::dim;
      line("       " + paint_(role, safe(row)));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
  }

  void rivals(const AdvisedRecipe& recipe) {
    const Advice& advice = recipe.advice;
    if (advice.rivals.empty()) {
      return;
    }
    title("AMONG", "rank among the recipe, the given recipes and the plans");
    line(fmt::format("  {:>2}  {}  {}",
                     advice.own_place,
                     safe(recipe.path),
                     seconds_text(advice.present->step_time.value)));
    for (const advise::Rival& rival : advice.rivals) {
      line(fmt::format("  {:>2}  {}  {}  {}",
                       rival.place,
                       safe(rival.name),
                       seconds_text(rival.step.value),
                       gain_text(rival.speedup, rival.verdict, rival.tokens)));
      if (!rival.warning.empty()) {
        say("       ", "it would not run as it is: " + rival.warning, Role::error);
      }
    }
  }

  void tally(const Advice& advice) {
    const advise::SearchTally& tally = advice.tally;
    if (tally.looked_at == 0) {
      return;
    }
    line("");
    const std::string seen =
        tally.exhaustive
            ? fmt::format("all {} distinct combinations checked and predicted", tally.looked_at)
            : fmt::format("{} combinations checked and predicted, of {}",
                          tally.looked_at,
                          large_count_text(tally.space));
    line(paint_(Role::dim, seen + (tally.stopped ? "; the search was cut short" : "")));
  }

  const Style& style_;
  Paint paint_;
  std::string out_;
};

}  // namespace

std::string advise_text(const AdvisedRecipe& recipe, const Style& style) {
  return AdviceText(style).run(recipe);
}

namespace {

/// Whether a value is valid, with what, and what lint says of it.
std::string verdict_lines(const AnsweredWhyNot& answered, const Style& style) {
  const advise::WhyNot& answer = answered.answer;
  const advise::Legality& legality = answer.legality;
  std::string out = fmt::format("  {}={}: ", answer.field, answer.value);
  out += legality.legal ? std::string("legal\n")
                        : printable(refusal_text(legality), style.unicode) + "\n";
  if (legality.legal && !legality.reason.empty()) {
    out += "  " + printable(legality.reason, style.unicode) + "\n";
  }
  if (const std::string with = companions_text(legality.with); !with.empty()) {
    out += "  " + with + "\n";
  }
  if (answered.changes_training) {
    out += "  it changes training\n";
  }
  for (const lint::Rule* rule : legality.warned) {
    out += printable(fmt::format("  {} warns: {}", rule->code, rule->what), style.unicode) + "\n";
  }
  return out;
}

/// Step and memory with the value.
std::string price_lines(const advise::WhyNot& answer) {
  const bool same =
      answer.other_model || answer.speedup->low == answer.speedup->high;  // the recipe as it is
  std::string out;
  if (answer.other_model) {
    out += "  it makes another model: its step cannot be compared with that of the recipe\n";
  }
  out += fmt::format("  step {}{}\n",
                     range_text(*answer.step),
                     same ? "" : "; " + gain_text(*answer.speedup, answer.verdict, answer.tokens));
  out += fmt::format("  memory {}{}{}\n",
                     gib_text(answer.needed_memory),
                     answer.memory_limit > 0 ? " of " + gib_text(answer.memory_limit) : "",
                     risk_of_memory_text(answer.out_of_memory, answer.fits));
  if (!answer.recipe_fits && !same) {
    out += "  the recipe as it is does not fit in memory: its step is only computed\n";
  }
  if (answer.shortage) {
    out += "  with it: " + shortage_text(*answer.shortage) + "\n";
  }
  return out;
}

/// The best plan that keeps the value.
std::string around_lines(const advise::WhyNot& answer, const Style& style) {
  std::string changes;
  for (const advise::PlanChange& change : answer.around->changes) {
    changes += (changes.empty() ? "" : "; ") + change_text(change);
  }
  const std::string best =
      fmt::format("best around it: step {}, {} times as fast as the recipe, with {}",
                  range_text(answer.around->step),
                  ratio_text(*answer.around_speedup),
                  changes);
  constexpr int kIndent = 2;
  std::string out;
  for (const std::string& part : wrap(printable(best, style.unicode), style.width - kIndent)) {
    out += std::string(kIndent, ' ') + part + '\n';
  }
  return out;
}

}  // namespace

std::string why_not_text(const AnsweredWhyNot& answered, const Style& style) {
  const advise::WhyNot& answer = answered.answer;
  const Paint paint(style.colour, style.hyperlinks);
  std::string out = paint(Role::strong, printable(answered.path, style.unicode)) + " on " +
                    printable(answered.against, style.unicode) + "\n" +
                    verdict_lines(answered, style);
  if (!answer.step) {
    return out + "  no prediction\n";
  }
  out += price_lines(answer);
  if (answer.around) {
    out += around_lines(answer, style);
  }
  for (const auto& [name, seconds] : answer.costs) {
    constexpr double kWorthTelling = 1e-3;  // of the step
    if (std::abs(seconds) > kWorthTelling * answer.step->value) {
      out += fmt::format("  {}: {} {}{}\n",
                         term_title(name),
                         seconds_text(std::abs(seconds)),
                         seconds > 0 ? "more" : "less",
                         answer.tokens == 1 ? "" : " for as many tokens");
    }
  }
  return out;
}

}  // namespace epwise::report
