#include "advise/measurement.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/count.h"
#include "base/units/quantity.h"
#include "perf/sim/layer/layer_times.h"
#include "perf/sim/step/waterfall.h"
#include "perf/workload/workload.h"
#include "yaml/parse.h"
#include "yaml/reader.h"

namespace epwise::advise {

namespace {

/// Within which a measured time is plausible.
struct Bounds {
  double least = 0;  // s
  double most = 0;   // s
  std::string_view words;
};

double time_of(yaml::MapReader& in,
               const yaml::Node& root,
               std::string_view key,
               const Bounds& bounds,
               std::vector<text::Diagnostic>& problems) {
  const auto text = in.text(key);
  if (!text) {
    return 0;
  }
  const auto quantity = units::parse_quantity(*text);
  const bool good = quantity && quantity->dimension == units::Dimension::seconds &&
                    std::isfinite(quantity->value) && quantity->value > 0;
  const bool plausible = good && quantity->value >= bounds.least && quantity->value <= bounds.most;
  if (!plausible) {
    const std::string wanted =
        good ? fmt::format("from {}", bounds.words) : std::string("a time (41.25 s, 2.7 ms)");
    problems.push_back({"config/invalid",
                        root.find(key)->mark,
                        fmt::format("{} must be {}, not `{}`", key, wanted, *text),
                        {},
                        {}});
    return 0;
  }
  return quantity->value;
}

double share_of(yaml::MapReader& in,
                const yaml::Node& root,
                std::string_view key,
                std::vector<text::Diagnostic>& problems) {
  constexpr double kHundred = 100;
  const auto text = in.text(key);
  if (!text) {
    return 0;
  }
  const bool percent = text->ends_with('%');
  const auto number =
      units::parse_quantity(std::string_view(*text).substr(0, text->size() - (percent ? 1 : 0)));
  const double share = number ? number->value / (percent ? kHundred : 1) : 0;
  if (!number || number->dimension != units::Dimension::none || !(share > 0) || share >= 1) {
    problems.push_back(
        {"config/invalid",
         root.find(key)->mark,
         fmt::format("{} must be a share of the step (18 %, 0.18), not `{}`", key, *text),
         {},
         {}});
    return 0;
  }
  return share;
}

/// Constants of the exchange, all multiplied by a factor.
sim::ConstantTable with_exchange(const sim::ConstantTable& constants,
                                 bool flex,
                                 double factor,
                                 double log_sd) {
  sim::ConstantTable table = constants;
  for (sim::ConstantNote& note : table.notes) {
    if (note.name.starts_with(flex ? "flex_" : "alltoall_")) {
      note.value *= factor;
      note.log_sd = std::min(note.log_sd, log_sd);
      table.values.*sim::constant_member(note.name) *= factor;
    }
  }
  return table;
}

/// The factor of the exchange for which the exposed share matches this one most closely.
double factor_for(double exposed,
                  const sim::ConstantTable& constants,
                  const sim::StepWork& present,
                  bool flex) {
  constexpr double kMost = 8;
  constexpr int kHalvings = 30;
  double low = std::log(1 / kMost);
  double high = std::log(kMost);
  const auto share = [&](double log_factor) {
    return exposed_share(present,
                         with_exchange(constants, flex, std::exp(log_factor), kMost).values);
  };
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (share(middle) < exposed ? low : high) = middle;
  }
  return std::exp((low + high) / 2);
}

sim::Range scaled(const sim::Range& range, double factor) {
  return {range.value * factor, range.low * factor, range.high * factor};
}

/// The recipe's measured step divided by a ratio of it.
sim::Range step_behind(double measured, const sim::Range& speedup) {
  return {measured / speedup.value, measured / speedup.high, measured / speedup.low};
}

}  // namespace

Measured read_measured(const text::SourceFile& file, std::vector<text::Diagnostic>& problems) {
  const yaml::Stream stream = yaml::parse(file);
  problems.insert(problems.end(), stream.diagnostics.begin(), stream.diagnostics.end());
  Measured measured;
  if (!stream.readable || stream.documents.empty()) {
    return measured;
  }
  const yaml::Node& root = stream.documents.front().root;
  yaml::MapReader in(root, "measured figures", problems);
  // A day for a step; for the others a hundred times what any published run has.
  measured.step = time_of(in, root, "step_time", {1e-4, 86'400, "0.1 ms to a day"}, problems);
  measured.dispatch =
      time_of(in, root, "dispatch_time", {1e-7, 60, "0.1 us to a minute"}, problems);
  measured.host = time_of(in, root, "host_operation", {1e-7, 0.01, "0.1 us to 10 ms"}, problems);
  measured.exposed = share_of(in, root, "exposed_share", problems);
  in.finish();
  return measured;
}

Measured measured_of(const RunFigures& figures) {
  Measured measured;
  measured.step = figures.step;
  measured.dispatch = figures.exchange;
  measured.sends = figures.sends;
  measured.exposed = figures.exposed;
  measured.products = figures.products;
  measured.idle = figures.idle;
  measured.source = fmt::format("{} by {}", text::counted(figures.steps, "step"), figures.found_by);
  return measured;
}

void take_exchange(const sim::StepWork& present, Measured& measured) {
  // dispatch and combine, or send and receive, and back
  constexpr int kDirections = 4;
  if (measured.dispatch > 0 || measured.sends.empty()) {
    return;
  }
  const workload::Workload& job = *present.job;
  const workload::Parallel& split = job.parallel;
  const auto experts = std::ranges::count(
      job.architecture.layers, workload::FeedForward::experts, &workload::Layer::feed_forward);
  const double chunks = 1.0 * job.batch.microbatches * split.virtual_stages;
  const auto of_a_stage = experts / split.pipeline;  // whole layers
  Traffic traffic;
  traffic.exchanges = kDirections * job.batch.microbatches * static_cast<double>(of_a_stage);
  traffic.transfers = split.pipeline > 1 ? kDirections * chunks : 0;
  traffic.rings = split.context > 1;
  if (const SendStream* stream = exchange_stream(measured.sends, traffic)) {
    measured.dispatch = stream->seconds;
  } else {
    measured.mixed = true;
  }
}

double exposed_share(const sim::StepWork& work, const sim::Constants& constants) {
  double exposed = 0;
  double step = 0;
  for (const sim::WaterfallTerm& term : sim::waterfall_of(work, constants)) {
    const bool communication =
        term.name == "dispatch" || term.name == "combine" || term.name == "data_parallel";
    exposed += communication ? term.seconds : 0;
    step += term.seconds;
  }
  return step > 0 ? exposed / step : 0;
}

sim::ConstantTable calibrated(const sim::ConstantTable& constants,
                              const sim::StepWork& present,
                              const Measured& measured) {
  constexpr double kSure = 0.03;  // of the logarithm: variation between exchanges of one profile
  constexpr double kLessSure = 0.10;  // the share also includes compute and host time
  const bool flex = workload::deduplicates(present.job->exchange.dispatcher);
  const double predicted = sim::priced_exchange(present, constants.values);
  if (measured.dispatch > 0 && predicted > 0) {
    return with_exchange(constants, flex, measured.dispatch / predicted, kSure);
  }
  if (measured.exposed > 0 && predicted > 0 && !measured.mixed) {
    const double factor = factor_for(measured.exposed, constants, present, flex);
    return with_exchange(constants, flex, factor, kLessSure);
  }
  return constants;
}

void calibrate_to_measurement(Advice& advice, const Measured& measured) {
  if (measured.step <= 0 || !advice.present) {
    return;
  }
  constexpr double kRepeat = 0.008;  // run-to-run variation of one recipe
  const double predicted = advice.present->step_time.value;
  const double factor = measured.step / predicted;
  advice.anchor = Anchor{measured.step,
                         predicted,
                         measured.exposed,
                         measured.products,
                         measured.idle,
                         measured.source,
                         measured.dispatch,
                         measured.mixed};
  advice.present->step_time = {
      measured.step, measured.step * (1 - kRepeat), measured.step * (1 + kRepeat)};
  for (DispatcherRow& row : advice.dispatchers) {
    if (row.step) {
      row.step = row.present ? advice.present->step_time : scaled(*row.step, factor);
    }
  }
  for (SmSweep& sweep : advice.sweeps) {
    for (SmSweep::Point& point : sweep.points) {
      point.step *= factor;
    }
  }
  advice.ladder_start = scaled(advice.ladder_start, factor);
  for (RungState& rung : advice.ladder) {
    if (rung.step) {
      rung.step = scaled(*rung.step, factor);
    }
  }
  for (auto* plans : {&advice.plans, &advice.close}) {
    for (Plan& plan : *plans) {
      plan.step = step_behind(measured.step, plan.speedup);
    }
  }
  for (Rival& rival : advice.rivals) {
    rival.step = step_behind(measured.step * rival.tokens, rival.speedup);
  }
}

}  // namespace epwise::advise
