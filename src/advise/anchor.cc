#include "advise/anchor.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/workload.h"
#include "sim/layer_times.h"
#include "units/quantity.h"
#include "yaml/parse.h"
#include "yaml/reader.h"

namespace epwise::advise {

namespace {

double time_of(yaml::MapReader& in,
               const yaml::Node& root,
               std::string_view key,
               std::vector<text::Diagnostic>& problems) {
  const auto text = in.text(key);
  if (!text) {
    return 0;
  }
  const auto quantity = units::parse_quantity(*text);
  const bool good = quantity && quantity->dimension == units::Dimension::seconds &&
                    std::isfinite(quantity->value) && quantity->value > 0;
  if (!good) {
    problems.push_back({"config/invalid",
                        root.find(key)->mark,
                        fmt::format("{} takes a time (41.25 s, 2.7 ms), not `{}`", key, *text),
                        {},
                        {}});
    return 0;
  }
  return quantity->value;
}

sim::Range scaled(const sim::Range& range, double factor) {
  return {range.value * factor, range.low * factor, range.high * factor};
}

/// The recipe's measured step over a ratio of it.
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
  measured.step = time_of(in, root, "step_time", problems);
  measured.dispatch = time_of(in, root, "dispatch_time", problems);
  measured.host = time_of(in, root, "host_operation", problems);
  in.finish();
  return measured;
}

sim::ConstantTable anchored(const sim::ConstantTable& constants,
                            const sim::StepWork& present,
                            const Measured& measured) {
  sim::ConstantTable table = constants;
  const double predicted = sim::priced_exchange(present, constants.values);
  if (measured.dispatch <= 0 || predicted <= 0) {
    return table;
  }
  constexpr double kSure = 0.03;  // of the logarithm: what one profile's exchanges vary by
  const bool flex = model::deduplicates(present.job->exchange.dispatcher);
  const double factor = measured.dispatch / predicted;
  for (sim::ConstantNote& note : table.notes) {
    if (note.name.starts_with(flex ? "flex_" : "alltoall_")) {
      note.value *= factor;
      note.log_sd = std::min(note.log_sd, kSure);
      table.values.*sim::constant_member(note.name) *= factor;
    }
  }
  return table;
}

void anchor(Advice& advice, const Measured& measured) {
  if (measured.step <= 0 || !advice.present) {
    return;
  }
  constexpr double kRepeat = 0.008;  // two runs of one recipe
  const double predicted = advice.present->step_time.value;
  const double factor = measured.step / predicted;
  advice.anchor = Anchor{measured.step, predicted};
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
    rival.step = step_behind(measured.step, rival.speedup);
  }
}

}  // namespace epwise::advise
