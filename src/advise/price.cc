#include "advise/price.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "advise/comparison_tables.h"
#include "advise/decision.h"
#include "advise/diagnosis.h"
#include "perf/sim/step/candidates.h"

namespace epwise::advise {

namespace {

constexpr double kHoursADay = 24;

/// A part of a ratio T(before)/T(after) as a share of the time before.
double saved_share(double speedup) {
  return 1 - 1 / speedup;
}

void replace(std::string& text, std::string_view mark, const std::string& word) {
  const std::size_t at = text.find(mark);
  if (at != std::string::npos) {
    text.replace(at, mark.size(), word);
  }
}

/// The measure of a priced setting.
struct Alternative {
  Prospect prospect;
  std::string move;
  sim::Comparison comparison;
};

class Pricer {
 public:
  Pricer(const Study& study, const Diagnosis& diagnosis) : study_(study), diagnosis_(diagnosis) {}

  std::optional<Price> price(const PricedSetting& setting) {
    const lint::Rule* rule = study_.world.base.knowledge().find(setting.rule);
    if (rule == nullptr || !wall_holds(setting)) {
      return std::nullopt;
    }
    return setting.lost.empty() ? against_best(setting, *rule) : of_lost(setting, *rule);
  }

 private:
  bool wall_holds(const PricedSetting& setting) const {
    if (setting.wall.empty()) {
      return true;
    }
    const auto wall = std::ranges::find(study_.knowledge.walls, setting.wall, &Wall::name);
    return std::ranges::any_of(diagnosis_.shares, [&](const auto& share) {
      return share.first == setting.wall && share.second >= wall->from;
    });
  }

  std::optional<Price> against_best(const PricedSetting& setting, const lint::Rule& rule) {
    const int found = study_.space.index(setting.axis);
    if (found < 0) {
      return std::nullopt;
    }
    const auto at = static_cast<std::size_t>(found);
    const Axis& axis = *study_.space.dimensions()[at].axis;
    const Move* present = study_.space.move(study_.space.start(), setting.axis);
    const sim::SmSweep sweep =
        axis.sweep
            ? sim::sm_sweep(*study_.present.work, study_.world.constants.values, most_sms(axis))
            : sim::SmSweep{};
    const bool flat = sweep.own >= sweep.flat_from && sweep.own <= sweep.flat_to;
    if (axis.sweep && (sweep.points.empty() || flat)) {
      return std::nullopt;
    }
    const std::optional<Alternative> best = axis.sweep ? of_sweep(axis) : best_of(setting, axis);
    if (!best) {
      return std::nullopt;
    }
    Price price = priced(rule, *study_.present.work, best->comparison);
    std::string& text = price.finding.message;
    text = setting.says;
    replace(text,
            "{present}",
            axis.sweep           ? std::to_string(sweep.own)
            : present == nullptr ? "present"
                                 : present->name);
    replace(text, "{better}", best->move);
    replace(text, "{from}", std::to_string(sweep.flat_from));
    replace(text, "{to}", std::to_string(sweep.flat_to));
    std::string title = setting.remedy;
    replace(title, "{better}", best->move);
    add_fix(std::move(title), best->prospect.assessment.edits, price.finding);
    return price;
  }

  /// The SM count that advice would choose, if certainly faster.
  std::optional<Alternative> of_sweep(const Axis& axis) {
    const Candidate candidate = with_chosen_sms(study_, study_.space.start());
    if (candidate == study_.space.start()) {
      return std::nullopt;
    }
    Prospect prospect = study_.assessor.prospect(candidate);
    const sim::Comparison comparison =
        sim::compare(*study_.present.work, *prospect.work, study_.world.constants);
    const Move* move = study_.space.move(candidate, axis.name);
    return is_sure(comparison) && move != nullptr
               ? std::optional(Alternative{std::move(prospect), move->name, comparison})
               : std::nullopt;
  }

  /// The fastest usable move that is certainly faster than the recipe's own.
  std::optional<Alternative> best_of(const PricedSetting& setting, const Axis& axis) {
    std::optional<Alternative> best;
    for (const Move& move : axis.moves) {
      const bool counts = setting.moves.empty() ||
                          std::ranges::find(setting.moves, move.name) != setting.moves.end();
      const Candidate candidate = study_.space.with(study_.space.start(), axis.name, move.name);
      if (!counts || candidate == study_.space.start() || !study_.space.possible(candidate)) {
        continue;
      }
      Prospect prospect = study_.assessor.prospect(candidate);
      if (prospect.work == nullptr || !prospect.assessment.usable() ||
          (best && prospect.assessment.step >= best->prospect.assessment.step)) {
        continue;
      }
      const sim::Comparison comparison =
          sim::compare(*study_.present.work, *prospect.work, study_.world.constants);
      if (is_sure(comparison)) {
        best = Alternative{std::move(prospect), move.name, comparison};
      }
    }
    return best;
  }

  /// What overlap would save through more than one hardware queue.
  std::optional<Price> of_lost(const PricedSetting& setting, const lint::Rule& rule) {
    const lint::Rule* cause = study_.world.base.knowledge().find(setting.lost);
    const lint::Judgement& judgement = study_.assessor.cache().plain().base();
    const auto holds = [&](const std::vector<const lint::Rule*>& rules) {
      return std::ranges::find(rules, cause) != rules.end();
    };
    if (cause == nullptr || (!holds(judgement.failed) && !holds(judgement.explained))) {
      return std::nullopt;
    }
    workload::Workload job = *study_.present.job;
    job.exchange.one_queue = false;
    sim::StepWork several = *study_.present.work;
    several.job = &job;
    const sim::Comparison comparison =
        sim::compare_environments(*study_.present.work, several, study_.world.constants);
    // A slow host hides the loss: then the interval begins at nothing.
    constexpr double kNoise = 1.008;
    if (comparison.speedup.value < kNoise || comparison.speedup.low < 1) {
      return std::nullopt;
    }
    Price price = priced(rule, *study_.present.work, comparison);
    price.finding.message = setting.says;
    Evaluator& plain = study_.assessor.cache().plain();
    const std::vector<Edits> fixes = plain.fixes_of(*cause, {}, study_.world.highest);
    if (!fixes.empty()) {
      add_fix(setting.remedy, fixes.front(), price.finding);
    }
    return price;
  }

  static bool is_sure(const sim::Comparison& comparison) {
    return comparison.verdict == sim::Verdict::b && comparison.speedup.low > 1;
  }

  /// `dear`: the slower one of the two that were compared.
  Price priced(const lint::Rule& rule,
               const sim::StepWork& dear,
               const sim::Comparison& comparison) {
    const sim::Range step = step_range(dear, study_.world);
    Price price;
    price.finding = study_.assessor.cache().plain().finding(rule);
    price.share = {saved_share(comparison.speedup.value),
                   saved_share(comparison.speedup.low),
                   saved_share(comparison.speedup.high)};
    price.seconds = {
        price.share.value * step.value, price.share.low * step.low, price.share.high * step.high};
    price.gpu_hours = price.share.value * *study_.world.base.target->gpus * kHoursADay;
    return price;
  }

  void add_fix(std::string title, const Edits& edits, lint::Finding& finding) const {
    lint::Fix fix{std::move(title), lint::Tier::performance, {}};
    for (const Edit& edit : edits) {
      fix.edits.push_back(study_.assessor.cache().plain().spelled(edit));
    }
    finding.fixes = {std::move(fix)};
  }

  const Study& study_;
  const Diagnosis& diagnosis_;
};

}  // namespace

PriceList prices(const World& world, const Knowledge& knowledge) {
  PriceList list;
  Assessor bare(world, nullptr);
  const Space space(knowledge, bare.cache().plain(), {});
  Prospect present = bare.predicted(Edits{});
  present.assessment.legal = true;
  if (present.work == nullptr) {
    list.problem = present.assessment.problem;
    return list;
  }
  if (present.job->architecture.experts.count <= 0) {
    list.problem = "the model has no experts";
    return list;
  }
  Assessor assessor(world, &space);
  const Study study{world, knowledge, space, assessor, present};
  const Diagnosis diagnosis = diagnose(present, world.constants, knowledge, *world.base.target->hw);
  Pricer pricer(study, diagnosis);
  for (const PricedSetting& setting : knowledge.priced_settings) {
    if (std::optional<Price> price = pricer.price(setting)) {
      list.prices.push_back(*std::move(price));
    }
  }
  std::ranges::stable_sort(
      list.prices, std::ranges::greater(), [](const Price& price) { return price.seconds.value; });
  return list;
}

}  // namespace epwise::advise
