#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "report/advise/words.h"
#include "report/advise/writer.h"
#include "report/calibration_words.h"
#include "report/columns.h"
#include "report/duration_text.h"
#include "report/lint/tally.h"
#include "report/simulate/writer.h"
#include "report/style.h"

namespace epwise::report {
namespace {

using advise::Advice;
using advise::Plan;

constexpr int kNameWidth = 16;

class Text {
 public:
  explicit Text(const Style& style) : style_(style), paint_(style.colour, style.hyperlinks) {}

  std::string run(const AdvisedRecipe& recipe) {
    const Advice& advice = recipe.advice;
    line(paint_(Role::strong, safe(recipe.path)) + " on " + safe(recipe.target));
    if (!advice.present) {
      line(paint_(Role::error, "  no advice, facts are missing:"));
      for (const text::Diagnostic& each : advice.missing) {
        say("  - ", missing_text(each));
      }
      return std::move(out_);
    }
    present(advice);
    repairs(advice);
    dispatchers(advice);
    sweeps(advice);
    ladder(advice);
    plans(advice);
    rivals(recipe);
    tally(advice);
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_ += text + '\n'; }

  std::string safe(std::string_view text) const { return printable(text, style_.unicode); }

  /// A sentence over as many lines as it takes, behind its indent.
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

  /// What a profile says besides the step.
  void measured(const advise::Anchor& anchor) {
    const std::string shares = measured_text(anchor);
    const std::string indent = fmt::format("  {:<{}}", "", kNameWidth);
    if (!shares.empty()) {
      say(indent, shares, Role::dim);
    }
    if (anchor.mixed) {
      say(indent, kMixedSends, Role::warning);
    }
  }

  void calibration(const sim::CalibrationEffect& effect) {
    const std::string indent = fmt::format("  {:<{}}", "", kNameWidth);
    say(fmt::format("  {:<{}}", "calibration", kNameWidth),
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
    line(
        fmt::format("  {:<{}}{:>9}   ", "step now", kNameWidth, seconds_text(now.step_time.value)) +
        paint_(Role::dim,
               fmt::format("{} to {} with 80 %",
                           seconds_text(now.step_time.low),
                           seconds_text(now.step_time.high))));
    if (advice.anchor) {
      line(fmt::format("  {:<{}}{:>9}   ", "", kNameWidth, "measured") +
           paint_(Role::dim,
                  fmt::format("{} were predicted; everything below is held to it",
                              seconds_text(advice.anchor->predicted))));
      measured(*advice.anchor);
    }
    if (advice.doubtful_dispatch) {
      say("  ",
          "the measured dispatch_time can't be: the step would be another than the measured one; "
          "it "
          "is not used",
          Role::warning);
    }
    if (advice.calibration) {
      calibration(*advice.calibration);
    }
    const double limit = now.memory_limit;
    line(fmt::format(
             "  {:<{}}{:>9}   ", "memory now", kNameWidth, gib_text(now.needed_memory.value)) +
         paint_(advice.fits_risk > 0.5 ? Role::error : Role::dim,
                limit > 0 ? fmt::format("of {}; {:.0f} % that it is too much",
                                        gib_text(limit),
                                        100 * advice.fits_risk)
                          : "of an unknown capacity"));
    std::string shares;
    for (const auto& [name, share] : advice.diagnosis.shares) {
      shares += fmt::format("{}{} {:.0f} %", shares.empty() ? "" : ", ", name, 100 * share);
    }
    line(fmt::format("  {:<{}}", "binds", kNameWidth) +
         paint_(Role::strong, advice.diagnosis.wall) +
         fmt::format(", {:.0f} % sure", 100 * advice.diagnosis.sure) +
         paint_(Role::dim, "  of the step: " + shares));
    say(fmt::format("  {:<{}}", "usually helps", kNameWidth), advice.diagnosis.advice, Role::dim);
  }

  void repairs(const Advice& advice) {
    if (!advice.repairs.empty()) {
      title("REPAIRS FIRST", "lint finds errors; everything below counts from the repaired recipe");
      for (const repair::Repair& repair : advice.repairs) {
        for (const repair::Repair::Edit& edit : repair.edits) {
          say("  ", fmt::format("{} ({})", repair::to_text(edit), repair.rule));
        }
      }
    }
    if (!advice.left.empty()) {
      std::vector<std::string> codes;
      for (const lint::Rule* rule : advice.left) {
        codes.emplace_back(rule->code);
      }
      say("  ",
          fmt::format("{} that no fix settles and plans leave as they are: {}",
                      counted(static_cast<int>(codes.size()), "error"),
                      listed(codes)),
          Role::error);
    }
  }

  void dispatchers(const Advice& advice) {
    if (advice.dispatchers.empty()) {
      return;
    }
    title("DISPATCHERS", "everything else as it is");
    for (const advise::DispatcherRow& row : advice.dispatchers) {
      const std::string name = row.name + (row.present ? " *" : "");
      if (!row.legality.legal) {
        line(fmt::format("  -  {:<13}", name) +
             paint_(Role::error, "not legal: " + safe(reason_text(row.legality))));
      } else if (!row.step) {
        line(fmt::format("  -  {:<13}no prediction: {}", name, safe(row.legality.reason)));
      } else {
        std::string more = row.tie && row.rank > 1 ? "too close to 1" : "";
        if (!row.fits) {
          more += std::string(more.empty() ? "" : "; ") + "doesn't fit";
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
    line(paint_(Role::dim, "  * the recipe's own"));
  }

  void details(const advise::DispatcherRow& row) {
    const std::string indent(18, ' ');
    if (const std::string with = companions_text(row.legality.companions); !with.empty()) {
      say(indent, with, Role::dim);
    }
    if (!row.measurement.empty()) {
      say(indent, "decides: " + row.measurement, Role::dim);
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
          "flat: within 0.5 % of the best; another count only where it is surely faster");
    for (const advise::SmSweep& sweep : advice.sweeps) {
      const std::string what = sweep.chosen == sweep.present
                                   ? fmt::format("keep {}", sweep.present)
                                   : fmt::format("{} → {}", sweep.present, sweep.chosen);
      line(fmt::format("  {:<{}}{}, at worst {:.1f} % lost; flat from {} to {}{}",
                       sweep.dispatcher,
                       kNameWidth,
                       what,
                       100 * sweep.regret,
                       sweep.flat_from,
                       sweep.flat_to,
                       sweep.of_plan ? ", beside the rest of plan 1" : ""));
    }
  }

  void ladder(const Advice& advice) {
    if (advice.ladder.empty()) {
      return;
    }
    title("OVERLAP LADDER", "each on top of those above; alone: without them");
    line(fmt::format("  {:<24}{:>9}", "none", seconds_text(advice.ladder_start.value)));
    for (const advise::RungState& rung : advice.ladder) {
      const std::string name = "+ " + rung.title +
                               (rung.move.empty() || rung.move == "on" ? "" : ": " + rung.move) +
                               (rung.present ? " *" : "");
      if (!rung.step) {
        line(fmt::format("  {:<24}", name) +
             paint_(Role::error, "not legal: " + safe(reason_text(rung.legality))));
      } else {
        std::string what = rung.verdict == sim::Verdict::b   ? "a gain"
                           : rung.verdict == sim::Verdict::a ? "a loss"
                                                             : "no clear gain";
        what += rung.fits ? "" : "; doesn't fit";
        line(fmt::format("  {:<24}{:>9}  {:<21}  ",
                         name,
                         seconds_text(rung.step->value),
                         ratio_text(*rung.added)) +
             paint_(rung.verdict == sim::Verdict::b ? Role::good : Role::warning, what) +
             (rung.alone ? paint_(Role::dim, "  alone " + ratio_text(*rung.alone)) : ""));
      }
      needs(rung);
    }
  }

  void needs(const advise::RungState& rung) {
    std::string missing;
    for (const advise::NeedState& need : rung.needs) {
      if (!need.met) {
        missing += fmt::format("{}{}{}",
                               missing.empty() ? "" : "; ",
                               need.what,
                               need.arranged ? " (comes along)" : "");
      }
    }
    const std::string indent(26, ' ');
    if (!missing.empty()) {
      say(indent, "needs " + missing, Role::dim);
    } else if (!rung.needs.empty()) {
      say(indent, "has all that it needs", Role::dim);
    }
    if (const std::string with = companions_text(rung.legality.companions); !with.empty()) {
      say(indent, with, Role::dim);
    }
  }

  void plans(const Advice& advice) {
    title("PLANS", fmt::format("goal: {}; each lints clean and fits", to_string(advice.goal)));
    if (advice.plans.empty()) {
      say("  ",
          advice.close.empty() ? "Nothing is better than the recipe as it is."
                               : "Nothing is surely better than the recipe as it is: keep it.");
    }
    int number = 0;
    for (const Plan& plan : advice.plans) {
      ++number;
      show(plan, number, number == 1 || style_.verbose);
    }
    if (!advice.close.empty()) {
      title("TOO CLOSE TO CALL", "worth a measurement, no recommendation");
      for (const Plan& plan : advice.close) {
        show(plan, ++number, style_.verbose);
      }
    }
  }

  void show(const Plan& plan, int number, bool in_full) {
    const std::string memory =
        plan.memory_limit > 0
            ? fmt::format("{} of {}", gib_text(plan.needed_memory), gib_text(plan.memory_limit))
            : gib_text(plan.needed_memory);
    line(fmt::format("  {}. ", number) +
         paint_(Role::strong, gain_text(plan.speedup, plan.verdict)) +
         fmt::format("; step {}, memory {}, risk {}",
                     seconds_text(plan.step.value),
                     memory,
                     advise::to_string(plan.risk)));
    for (const advise::PlanChange& change : plan.changes) {
      say("       ",
          change_text(change) +
              (change.tier == lint::Tier::training ? "  (changes training)" : ""));
    }
    for (const auto& [name, value] : plan.environment) {
      say("       ", fmt::format("launch with {}={}", name, value));
    }
    if (!plan.measurement.empty()) {
      say("       ", "decides: " + plan.measurement, Role::dim);
    }
    if (!in_full) {
      return;
    }
    say("       ",
        fmt::format("the event simulation says {:.2f} times as fast", plan.event_speedup),
        Role::dim);
    int step = 0;
    for (const advise::BringUp& each : plan.bring_up) {
      say(fmt::format("       bring up {}: ", ++step),
          fmt::format("{}; look at {}", each.what, each.check),
          Role::dim);
    }
    for (const std::string& risk : plan.risks) {
      say("       risk: ", risk, Role::dim);
    }
    if (!plan.obstacle.empty()) {
      say("       ", "not written for you: " + plan.obstacle, Role::warning);
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
    title("AMONG", "place among the recipe, those given and the plans");
    line(fmt::format("  {:>2}  {}  {}",
                     advice.own_place,
                     safe(recipe.path),
                     seconds_text(advice.present->step_time.value)));
    for (const advise::Rival& rival : advice.rivals) {
      line(fmt::format("  {:>2}  {}  {}  {}",
                       rival.place,
                       safe(rival.name),
                       seconds_text(rival.step.value),
                       gain_text(rival.speedup, rival.verdict)));
    }
  }

  void tally(const Advice& advice) {
    const advise::SearchTally& tally = advice.tally;
    line("");
    const std::string seen =
        tally.exhaustive
            ? fmt::format("all {} combinations that differ judged and predicted", tally.looked_at)
            : fmt::format("{} combinations judged and predicted, of {}",
                          tally.looked_at,
                          tally.space < 1e6 ? fmt::format("{:.0f}", tally.space)
                                            : fmt::format("about {:.1g}", tally.space));
    line(paint_(Role::dim, seen + (tally.stopped ? "; the search was cut short" : "")));
  }

  const Style& style_;
  Paint paint_;
  std::string out_;
};

}  // namespace

std::string advise_text(const AdvisedRecipe& recipe, const Style& style) {
  return Text(style).run(recipe);
}

}  // namespace epwise::report
