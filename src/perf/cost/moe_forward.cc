#include "perf/cost/moe_forward.h"

#include <algorithm>
#include <cmath>

#include "perf/cost/gemm.h"

namespace epwise::cost {

namespace {

const MoeForwardParameters* find_moe_forward(const Table& table,
                                             Family family,
                                             MoeKernels kernels,
                                             Format format) {
  for (const MoeForwardParameters& each : table.moe_forward) {
    if (each.family == family && each.kernels == kernels && each.format == format) {
      return &each;
    }
  }
  return nullptr;
}

/// The most similar parameters: another machine, then other kernels, then another format.
const MoeForwardParameters& choose(const Table& table, const Chip& chip, const MoeForward& layer) {
  const Family other = chip.family == Family::hopper ? Family::hopper : Family::gb200;
  for (const MoeForwardParameters* found :
       {find_moe_forward(table, chip.family, layer.kernels, layer.format),
        find_moe_forward(table, other, layer.kernels, layer.format),
        find_moe_forward(table, chip.family, MoeKernels::cutlass, layer.format),
        find_moe_forward(table, chip.family, MoeKernels::cutlass, Format::bf16)}) {
    if (found != nullptr) {
      return *found;
    }
  }
  return table.moe_forward.front();
}

}  // namespace

Cost moe_forward(const Table& table, const Chip& chip, const MoeForward& layer) {
  const MoeForwardParameters& law = choose(table, chip, layer);
  const double products = layer.gated ? 3 : 2;
  const double rows = layer.tokens * layer.topk / layer.ranks;
  const double local = layer.experts / layer.ranks;
  const double per_expert = local >= 1 ? rows / local : rows;
  const double memory = chip.memory * 1e6;
  const double padding = std::ceil(per_expert / 128) * 128 / per_expert;
  const double first = (products - 1) / products;  // their share of the work
  const double depth =
      first * (1 + law.k0 / layer.hidden) + (1 - first) * (1 + law.k0 / layer.inter);
  const double compute = 2e-6 * products * rows * layer.hidden * layer.inter /
                         peak_of(chip, layer.format) * padding * depth / law.eff;
  const double weights = products * local * layer.hidden * layer.inter *
                         table.format(layer.format).operand_bytes / memory;
  const double touched = layer.tokens * layer.hidden * 2 / memory;
  const double activated = rows * (layer.hidden + layer.inter) * 2 / memory;
  const double time =
      law.t0 + std::hypot(compute, law.cw * weights) + law.ct * touched + law.ca * activated;

  Cost cost{time * 1e-6, law.basis.relative_sd, Status::fitted, &law.basis};
  const bool exact = law.family == chip.family && law.kernels == layer.kernels &&
                     law.format == layer.format && law.basis.is_measured_on(chip.name);
  if (!exact) {
    cost.relative_sd += table.doubt().moe_elsewhere;
    cost.status = Status::prior;
  } else if (!law.rows_per_expert.contains(per_expert) || !law.hidden.contains(layer.hidden)) {
    cost.status = Status::extrapolated;
  }
  return cost;
}

}  // namespace epwise::cost
