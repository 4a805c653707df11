#include "perf/schedule/closed_form.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <vector>

#include "perf/schedule/pipeline.h"

namespace epwise::schedule {

namespace {

/// Sums of one stage's chunks over one micro-batch. Seconds.
struct StageSums {
  double forward = 0;
  double backward = 0;
  double pair = 0;
};

/// Delay of a tensor from a stage's chunk to the next chunk of the first stage: the group is longer
/// than the pipeline by some pieces, and only the excess over those counts.
double wraps(const Pipeline& pipeline, const UniformCost& cost) {
  const double ring = pipeline.stages * cost.hop.seconds;
  const double ahead = (pipeline.group_size() - pipeline.stages) * cost.forward;
  const double behind = (pipeline.last_group() - pipeline.stages) * cost.backward;
  return (pipeline.chunks - 1) * (std::max(0.0, ring - ahead) + std::max(0.0, ring - behind));
}

int combined_hops(const Pipeline& pipeline) {
  const int paired = paired_slots(pipeline);
  const bool one_after_another =
      pipeline.group_size() == pipeline.stages && pipeline.micro_batches > pipeline.stages;
  const int along = one_after_another ? paired + 1 : 2 * ((paired + 1) / 2);
  return along + 2 * (pipeline.stages - 2);
}

double overlapped_hops(const Pipeline& pipeline, const UniformCost& cost) {
  const int stages = pipeline.stages;
  const int micro_batches = pipeline.micro_batches;
  if (pipeline.chunks == 1) {
    const int skipped = (micro_batches + stages - 2) / stages;
    return 2 * (stages - 2 + micro_batches - skipped) * cost.hop.seconds;
  }
  const int hops = pipeline.ep_overlap ? combined_hops(pipeline) : 2 * (stages - 1);
  return hops * cost.hop.seconds + wraps(pipeline, cost);
}

double blocking_hops(const Pipeline& pipeline, const UniformCost& cost) {
  const int stages = pipeline.stages;
  if (pipeline.chunks == 1) {
    if (pipeline.micro_batches == 1) {
      return 2 * (stages - 1) * cost.hop.seconds;
    }
    const int hops =
        stages == 2 ? pipeline.micro_batches + 1 : 2 * (pipeline.micro_batches + stages) - 5;
    return hops * cost.hop.seconds;
  }
  // Every slot is followed by an exchange; forwards and backwards have one each if they run alone
  // or alternate.
  const int slots = pipeline.ep_overlap
                        ? pipeline.pieces() + (pipeline.chunks - 1) * pipeline.group_size() + 1
                        : 2 * pipeline.pieces();
  return (slots + 2 * (stages - 1) - 1) * cost.hop.seconds;
}

bool hops_are_exact(const Pipeline& pipeline, const UniformCost& cost) {
  if (cost.hop.seconds == 0 || pipeline.stages == 1) {
    return true;
  }
  if (!cost.hop.overlapped) {
    return pipeline.chunks == 1 || pipeline.ep_overlap;
  }
  if (cost.hop.seconds > std::min(cost.forward, cost.backward)) {
    return false;
  }
  const bool odd_end = pipeline.last_group() == pipeline.stages &&
                       pipeline.group_size() > pipeline.stages && paired_slots(pipeline) % 2 == 0;
  return !pipeline.ep_overlap || !odd_end;
}

void sum_up(StepEstimate& step) {
  step.seconds = step.work + step.bubble + step.unpaired + step.hops;
}

double pair_mean(const Pipeline& pipeline, const PipelineCost& cost, int stage) {
  const auto chunks = static_cast<std::size_t>(pipeline.chunks);
  const std::size_t first = static_cast<std::size_t>(stage) * chunks * chunks;
  double sum = 0;
  for (std::size_t i = 0; i < chunks * chunks; ++i) {
    sum += cost.pairs[first + i].duration;
  }
  return sum / static_cast<double>(chunks);
}

StageSums stage_sums(const Pipeline& pipeline, const PipelineCost& cost, int stage) {
  StageSums sums;
  for (int chunk = 0; chunk < pipeline.chunks; ++chunk) {
    const PieceTime& piece = cost.pieces[static_cast<std::size_t>(pipeline.position(stage, chunk))];
    sums.forward += piece.forward;
    sums.backward += piece.backward;
  }
  sums.pair = pipeline.ep_overlap && !cost.pairs.empty() ? pair_mean(pipeline, cost, stage)
                                                         : sums.forward + sums.backward;
  return sums;
}

bool all_equal(const Pipeline& pipeline, const PipelineCost& cost) {
  const auto same_piece = [&](const PieceTime& piece) {
    return piece.forward == cost.pieces[0].forward && piece.backward == cost.pieces[0].backward &&
           piece.backward_early == 0;
  };
  const auto same_pair = [&](const SlotTime& pair) {
    return pair.duration == cost.pairs[0].duration && pair.forward_early == 0 &&
           pair.backward_early == 0;
  };
  return std::ranges::all_of(cost.pieces, same_piece) &&
         (!pipeline.ep_overlap || std::ranges::all_of(cost.pairs, same_pair));
}

}  // namespace

int paired_slots(const Pipeline& pipeline) {
  if (!pipeline.ep_overlap) {
    return 0;
  }
  return std::max(0, pipeline.pieces() - (pipeline.chunks - 1) * pipeline.group_size() - 1);
}

StepEstimate uniform_step(const Pipeline& pipeline, const UniformCost& cost) {
  assert(defect(pipeline).empty() && "a pipeline that Megatron would run");
  const double both = cost.forward + cost.backward;
  StepEstimate step;
  step.work = pipeline.pieces() * (pipeline.ep_overlap ? cost.pair : both);
  step.bubble = (pipeline.stages - 1) * both;
  if (pipeline.ep_overlap) {
    step.unpaired = (pipeline.pieces() - paired_slots(pipeline)) * (both - cost.pair);
  }
  if (pipeline.stages > 1) {
    step.hops =
        cost.hop.overlapped ? overlapped_hops(pipeline, cost) : blocking_hops(pipeline, cost);
  }
  step.exact = hops_are_exact(pipeline, cost);
  sum_up(step);
  return step;
}

StepEstimate unequal_step(const Pipeline& pipeline, const StageTotals& totals, const Hop& hop) {
  const double positions = pipeline.positions();
  UniformCost mean;
  mean.forward = totals.forward / positions;
  mean.backward = totals.backward / positions;
  mean.pair = totals.pair / positions;
  mean.hop = hop;
  StepEstimate step = uniform_step(pipeline, mean);
  step.work = pipeline.micro_batches * totals.busiest;
  if (pipeline.chunks == 1 && !pipeline.ep_overlap) {
    step.bubble = totals.forward + totals.backward - totals.slowest;
  }
  step.exact = false;
  sum_up(step);
  return step;
}

StepEstimate unequal_step(const Pipeline& pipeline, const PipelineCost& cost) {
  assert(cost.pieces.size() == static_cast<std::size_t>(pipeline.positions()) &&
         "a time for every position");
  StageTotals totals;
  for (int stage = 0; stage < pipeline.stages; ++stage) {
    const StageSums sums = stage_sums(pipeline, cost, stage);
    totals.forward += sums.forward;
    totals.backward += sums.backward;
    totals.pair += sums.pair;
    totals.busiest = std::max(totals.busiest, sums.pair);
    totals.slowest = std::max(totals.slowest, sums.forward + sums.backward);
  }
  StepEstimate step = unequal_step(pipeline, totals, cost.hop);
  const bool every_hop_exact = hops_are_exact(pipeline,
                                              {totals.forward / pipeline.positions(),
                                               totals.backward / pipeline.positions(),
                                               totals.pair / pipeline.positions(),
                                               cost.hop});
  step.exact = every_hop_exact && (pipeline.stages == 1 || all_equal(pipeline, cost));
  return step;
}

}  // namespace epwise::schedule
