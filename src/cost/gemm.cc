#include "cost/gemm.h"

#include <algorithm>
#include <cmath>

namespace epwise::cost {

namespace {

constexpr double kMicro = 1e-6;

const GemmParameters* find(const Table& table, std::string_view chip, Format format, bool te) {
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
    if (const GemmParameters* found = find(table, chip.name, format, true)) {
      return {found, found->basis.relative_sd, Status::fitted};
    }
  }
  if (const GemmParameters* found = find(table, chip.name, format, false)) {
    return {found, found->basis.relative_sd, Status::fitted};
  }
  if (native_peak(chip, format) <= 0 && format != Format::bf16) {
    GemmChoice choice = choose_gemm(table, chip, Format::bf16, te);
    choice.status = Status::prior;
    return choice;
  }
  if (const GemmParameters* found = find(table, chip.neighbour, format, false)) {
    return {found,
            table.doubt().gemm_neighbour_factor * found->basis.relative_sd +
                table.doubt().gemm_neighbour,
            Status::prior};
  }
  return {find(table, "h100", Format::bf16, false), table.doubt().gemm_unknown, Status::prior};
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

}  // namespace epwise::cost
