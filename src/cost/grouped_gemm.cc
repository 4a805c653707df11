#include <algorithm>
#include <cmath>

#include "cost/gemm.h"
#include "cost/power_sum.h"

namespace epwise::cost {

namespace {

constexpr double kMicro = 1e-6;

struct Rows {
  double groups = 0;
  double sum = 0;
  double padded = 0;  // each group in tiles of 128 rows
};

Rows count_rows(const GroupedGemm& shape) {
  if (shape.rows.empty()) {
    const double groups = std::floor(shape.groups);
    return {groups,
            groups * shape.rows_per_group,
            groups * std::ceil(shape.rows_per_group / 128) * 128};
  }
  Rows rows;
  for (const double each : shape.rows) {
    rows.groups += 1;
    rows.sum += each;
    rows.padded += std::ceil(each / 128) * 128;
  }
  return rows;
}

/// Reading, writing and weights, in us at full memory speed.
double memory_time(const Table& table, const Chip& chip, const GroupedGemm& shape, Rows rows) {
  const double operand = table.format(shape.format).operand_bytes;
  const bool weights = shape.stage == GemmStage::weight_gradient;
  const double weight_bytes = weights ? (shape.accumulate ? 8.0 : 4.0) : operand;
  const double row_bytes = weights ? operand : 0.5 * (operand + 2);
  const double bytes =
      rows.sum * (shape.n + shape.k) * row_bytes + rows.groups * shape.n * shape.k * weight_bytes;
  return bytes / (chip.memory * 1e6);
}

Cost stream_cost(const Table& table, const Chip& chip, const GroupedGemm& shape, Rows rows) {
  const GroupedGemmParameters& law = table.grouped_gemm.front();
  const bool weights = shape.stage == GemmStage::weight_gradient;
  const bool quantised = shape.format != Format::bf16;
  const double gain =
      choose_gemm(table, chip, shape.format, false).parameters->eff / law.eff_reference;
  const double eff = std::min(law.eff_cap, (weights ? law.eff_w : law.eff) * gain);
  const double work = 2e-6 * rows.sum * shape.n * shape.k / (peak_of(chip, shape.format) * eff) +
                      law.cb * memory_time(table, chip, shape, rows);
  const double launches = law.tg * (quantised ? law.quantised_tg : 1) * rows.groups;
  const bool own = law.basis.is_measured_on(chip.name) && !quantised;

  Cost cost{std::hypot(launches, work), law.basis.relative_sd, Status::fitted, &law.basis};
  if (!own) {
    cost.relative_sd += law.elsewhere_sd;
    cost.status = Status::prior;
  } else if (!law.rows_per_group.contains(rows.sum / rows.groups)) {
    cost.status = Status::extrapolated;
  }
  return cost;
}

Cost persistent_cost(const Table& table, const Chip& chip, const GroupedGemm& shape, Rows rows) {
  const PersistentGemmParameters& law = table.persistent_gemm.front();
  const bool weights = shape.stage == GemmStage::weight_gradient;
  const bool blocks =
      chip.architecture == Architecture::hopper && shape.format == Format::fp8_block;
  const double eff =
      blocks ? law.hopper_block_eff : choose_gemm(table, chip, shape.format, false).parameters->eff;
  const double depth = weights ? rows.sum / rows.groups : shape.k;
  const double compute = 2e-6 * rows.sum * shape.n * shape.k *
                         (weights ? 1 : rows.padded / rows.sum) /
                         (peak_of(chip, shape.format) * eff) * (1 + law.k0 / depth);
  const double memory = law.cw * memory_time(table, chip, shape, rows);
  const Status status = law.basis.is_measured_on(chip.name) ? Status::fitted : Status::prior;
  return {law.t0 + power_sum({compute, memory}), law.basis.relative_sd, status, &law.basis};
}

}  // namespace

Cost grouped_gemm(const Table& table, const Chip& chip, const GroupedGemm& shape) {
  const Rows rows = count_rows(shape);
  if (rows.sum <= 0) {
    return {0, 0, Status::prior, nullptr};
  }
  Cost cost = shape.persistent ? persistent_cost(table, chip, shape, rows)
                               : stream_cost(table, chip, shape, rows);
  if (shape.quantise && shape.format != Format::bf16) {
    const double pq = choose_gemm(table, chip, shape.format, false).parameters->pq;
    cost.seconds += table.form().quantise_launch + pq * 1e-6 * rows.sum * shape.k;
  }
  cost.seconds *= kMicro;
  return cost;
}

}  // namespace epwise::cost
