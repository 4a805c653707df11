#include "perf/cost/attention.h"

#include <algorithm>
#include <cmath>

#include "perf/cost/cost.h"

namespace epwise::cost {

namespace {

/// Pairs of a query and a key.
double pairs(const Attention& shape) {
  const double seq = shape.seq;
  const double window = shape.window;
  if (window > 0 && window < seq) {
    return seq * window - (shape.causal ? window * (window - 1) / 2 : 0);
  }
  return seq * seq * (shape.causal ? 0.5 : 1);
}

double stream_efficiency(const AttentionParameters& law, const Chip& chip, const Attention& shape) {
  const bool wide = shape.head_dim_qk > 128;
  double efficiency = shape.backward ? law.eb * (wide ? law.xb : 1) : law.ef * (wide ? law.xf : 1);
  if (chip.architecture == Architecture::hopper) {
    efficiency *= law.hopper_gain;
  }
  return std::min(law.eff_cap, efficiency);
}

Status status_on(const Basis& basis, const Chip& chip) {
  if (basis.is_measured_on(chip.name)) {
    return Status::fitted;
  }
  return basis.is_carried_to(chip.name) ? Status::interpolated : Status::prior;
}

const AttentionLine& line_of(const Table& table, const Chip& chip, bool backward) {
  const Architecture architecture =
      chip.architecture == Architecture::blackwell ? Architecture::blackwell : Architecture::hopper;
  for (const AttentionLine& line : table.attention_line) {
    if (line.architecture == architecture && line.backward == backward) {
      return line;
    }
  }
  return table.attention_line.front();
}

struct Work {
  double time = 0;
  Cost cost;
};

Work line_work(const Table& table, const Chip& chip, const Attention& shape, double flop) {
  const AttentionLine& line = line_of(table, chip, shape.backward);
  const double gain = chip.architecture == Architecture::ampere ? table.form().ampere_attention : 1;
  const double rate =
      1 / (1 / line.r + line.c / std::max(shape.seq, table.form().attention_least_seq)) *
      chip.peak_bf16 / line.peak * gain;
  Status status = status_on(line.basis, chip);
  if (!line.seq.contains(shape.seq) || shape.head_dim_qk != 192) {
    // A chip with rows still counts as close for other shapes.
    status = worse(status, Status::interpolated);
  }
  return {flop / rate, {0, line.basis.relative_sd, status, &line.basis}};
}

Work stream_work(const Table& table, const Chip& chip, const Attention& shape, double flop) {
  const AttentionParameters& law = table.attention.front();
  const Status status = status_on(law.basis, chip);
  const double sd =
      law.basis.relative_sd + (law.basis.is_measured_on(chip.name) ? 0 : law.elsewhere_sd);
  return {flop / (chip.peak_bf16 * stream_efficiency(law, chip, shape)),
          {0, sd, status, &law.basis}};
}

void judge_attention(Cost& cost, const Table& table, const Attention& shape) {
  if (shape.window > 0 || !shape.causal || shape.batch > 1) {
    cost.status = worse(cost.status, Status::interpolated);
  }
  if (!table.attention.front().seq.contains(shape.seq)) {
    cost.status = worse(cost.status, Status::extrapolated);
    cost.relative_sd += table.doubt().attention_outside;
  }
  if (shape.format != Format::bf16) {
    cost.status = Status::prior;
    cost.relative_sd += table.doubt().attention_format;
  }
}

}  // namespace

Cost attention(const Table& table, const Chip& chip, const Attention& shape) {
  const AttentionParameters& law = table.attention.front();
  const bool by_chip = shape.kernels == AttentionKernels::by_chip;
  const bool stream = by_chip ? chip.architecture == Architecture::blackwell
                              : shape.kernels == AttentionKernels::transformer_engine;
  const double passes = shape.backward ? 2.5 : 1;
  const double width = shape.head_dim_qk + shape.head_dim_v;
  const double flop = 2e-6 * pairs(shape) * width * shape.heads * shape.batch * passes;
  auto [work, cost] =
      stream ? stream_work(table, chip, shape, flop) : line_work(table, chip, shape, flop);
  const double reach = shape.window > 0 ? std::min(shape.seq, shape.window) : shape.seq;
  const double block = law.k * reach * table.form().attention_block * width * 2e-6 * passes /
                       (chip.peak_bf16 / chip.sms);
  double time = std::max(table.form().kernel_launch, power_sum({work, block}));
  if (stream && !shape.backward) {
    time += law.tf;
    time *= 1 + law.th * std::log1p(time / 1e3);
  }
  judge_attention(cost, table, shape);
  cost.seconds = time * 1e-6;
  return cost;
}

}  // namespace epwise::cost
