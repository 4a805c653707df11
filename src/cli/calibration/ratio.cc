#include "cli/calibration/ratio.h"

#include <fmt/core.h>

#include "calibrate/work/law_time.h"
#include "cli/calibration/choice.h"
#include "report/duration_text.h"
#include "sim/constants/constants.h"
#include "sim/layer/layer_times.h"
#include "sim/prediction/measured_constants.h"

namespace epwise::cli {

namespace {

std::string ratio_text(double exchange, double compute, std::string_view basis) {
  if (exchange <= 0) {
    return "communication to compute: 0, experts are not spread over GPUs\n";
  }
  return fmt::format(
      "communication to compute: {:.2f} (exchanges {}, compute {} of one expert layer), {}\n",
      exchange / compute,
      report::seconds_text(exchange),
      report::seconds_text(compute),
      basis);
}

}  // namespace

std::string recipe_ratio(const SimulatedJob& job,
                         const calibrate::Calibration* measured,
                         const cost::Table& laws) {
  sim::ConstantTable table = sim::constants();
  if (measured != nullptr) {
    table =
        sim::with_measured(table, CalibrationChoice("", *measured).measured(laws, job.report.hw));
  }
  const sim::StepWork work = sim::lower(*job.workload, job.machine, table.values, job.stated);
  const sim::LayerTimes times =
      sim::layer_times(work, work.mixer, table.values, sim::prices_of(work, table.values, {}), {});
  return ratio_text(times.exchange(),
                    times.compute(),
                    measured == nullptr ? "by cost laws" : "with what was measured");
}

std::string usual_ratio(const calibrate::Subject& subject,
                        std::string_view hw,
                        const cost::Table& laws) {
  const cost::Chip* const chip = laws.find_chip(hw);
  if (chip == nullptr) {
    return {};
  }
  using calibrate::Kernel;
  const auto seconds = [&](const calibrate::Work& work) {
    return calibrate::law_time(laws, *chip, work).value_or(0);
  };
  const calibrate::Shape& shape = subject.shape;
  calibrate::Work work;
  work.shape = shape;
  work.structure = calibrate::Structure::staged;
  work.sms = subject.sms;
  double exchange = 0;
  for (const Kernel direction : {Kernel::dispatch, Kernel::combine}) {
    work.kernel = direction;
    exchange += 2 * seconds(work);
  }
  calibrate::Work product;
  product.kernel = Kernel::grouped_gemm;
  product.shape.groups = shape.experts / shape.ranks;
  product.shape.m = shape.tokens * shape.topk * shape.ranks / shape.experts;
  double compute = 0;
  for (const auto stage : {calibrate::Stage::forward,
                           calibrate::Stage::data_gradient,
                           calibrate::Stage::weight_gradient}) {
    product.stage = stage;
    product.shape.n = 2 * shape.inter;
    product.shape.k = shape.hidden;
    compute += seconds(product);
    product.shape.n = shape.hidden;
    product.shape.k = shape.inter;
    compute += seconds(product);
  }
  return ratio_text(exchange, compute, "experts alone, usual sizes, by cost laws");
}

}  // namespace epwise::cli
