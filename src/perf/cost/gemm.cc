#include "perf/cost/gemm.h"

#include <algorithm>
#include <cmath>

#include "perf/cost/cost.h"

namespace epwise::cost {

namespace {

const GemmParameters* find_gemm(const Table& table, std::string_view chip, Format format, bool te) {
  for (const GemmParameters& each : table.gemm) {
    if (each.format == format && each.transformer_engine == te && each.chip == chip) {
      return &each;
    }
  }
  return nullptr;
}

/// 0: the chip has no such mode.
double native_peak(const Chip& chip, Format format) {
  switch (format) {
    case Format::bf16:
      return chip.peak_bf16;
    case Format::fp8:
    case Format::fp8_block:
    case Format::w4a8:
      return chip.peak_fp8;
    case Format::nvfp4:
      return chip.peak_fp4;
  }
  return 0;
}

double padding(double size, double tile) {
  return std::ceil(size / tile) * tile / size;
}

}  // namespace

double peak_of(const Chip& chip, Format format) {
  const double peak = native_peak(chip, format);
  return peak > 0 ? peak : chip.peak_bf16;
}

GemmChoice choose_gemm(const Table& table, const Chip& chip, Format format, bool te) {
  if (te) {
    if (const GemmParameters* found = find_gemm(table, chip.name, format, true)) {
      return {found, found->basis.relative_sd, Status::fitted};
    }
  }
  if (const GemmParameters* found = find_gemm(table, chip.name, format, false)) {
    return {found, found->basis.relative_sd, Status::fitted};
  }
  if (native_peak(chip, format) <= 0 && format != Format::bf16) {
    GemmChoice choice = choose_gemm(table, chip, Format::bf16, te);
    choice.status = Status::prior;
    return choice;
  }
  if (const GemmParameters* found = find_gemm(table, chip.neighbour, format, false)) {
    return {found,
            table.doubt().gemm_neighbour_factor * found->basis.relative_sd +
                table.doubt().gemm_neighbour,
            Status::prior};
  }
  return {find_gemm(table, "h100", Format::bf16, false), table.doubt().gemm_unknown, Status::prior};
}

Cost gemm(const Table& table, const Chip& chip, const Gemm& shape) {
  const FormParameters& form = table.form();
  const auto [parameters, sd, known] =
      choose_gemm(table, chip, shape.format, shape.transformer_engine);
  const GemmParameters& law = *parameters;
  const double m = shape.m;
  const double n = shape.n;
  const double k = shape.k;
  const double tiles = std::ceil(m / 128) * std::ceil(n / 64);
  const double fill = std::pow(std::min(1.0, tiles / chip.sms), form.gemm_fill_power);
  double compute = 2e-6 * m * n * k * padding(m, 64) * padding(n, 64) /
                   (peak_of(chip, shape.format) * law.eff * std::max(fill, form.gemm_least_fill)) *
                   (1 + law.k0 / k);
  if (shape.sms > 0) {
    compute *= chip.sms / shape.sms;
  }
  const double bytes = table.format(shape.format).operand_bytes * (m * k + n * k) + 2 * m * n;
  const double memory = bytes / (form.gemm_memory_share * chip.memory * 1e6);
  const double quantisation = shape.quantise ? law.pq * 1e-6 * m * k : 0;
  const bool with_quantisation = shape.quantise || shape.format == Format::bf16;
  const double launch = std::max(law.t0 * (with_quantisation ? 1 : form.gemm_unquantised_launch),
                                 form.gemm_least_launch);

  Cost cost;
  cost.seconds = (launch + std::max(compute, memory) + quantisation) * kMicro;
  cost.basis = &law.basis;
  cost.status = known;
  if (fill < 1 || !law.m.contains(m) || !law.n.contains(n) || !law.k.contains(k)) {
    cost.status = worse(known, Status::extrapolated);
  }
  cost.relative_sd =
      sd * (cost.status == Status::extrapolated ? table.doubt().gemm_outside_factor : 1);
  cost.relative_sd = std::min(cost.relative_sd + (fill < 1 ? table.doubt().gemm_unfilled : 0), 1.0);
  return cost;
}

namespace {

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

/// Reads, writes and weights, in us at full memory speed.
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
