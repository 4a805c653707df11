#pragma once

#include <span>

#include "model/workload.h"

/// How many micro-batches of its chunks a pipeline stage holds between forward and backward pass.
namespace epwise::model {

/// The order in which a stage runs its chunks, as far as memory asks.
struct FlightPlan {
  int stages = 1;          // P
  int virtual_stages = 1;  // V
  int group = 1;           // micro-batches that a chunk runs before the next one
  int microbatches = 1;
  bool overlap = false;  // combined 1F1B: one more chunk is warmed up
};

FlightPlan flight_plan(const Workload& workload);

/// Chunk forwards before the first backward of the stage: all of them in a single stage's one
/// micro-batch; P − 1 − s without chunks; 2(P − 1 − s) + (V − 1)G with chunks, and one more under
/// overlap. Never more than there are.
int warm_up_chunks(const FlightPlan& plan, int stage);

/// Chunks held at the peak: one more than the warm-up. Under overlap the chunk that comes replaces
/// the one that goes layer by layer, so that the number stays that of the warm-up.
///   P 8, V 4, G 8, 64 micro-batches: stage 0 → 39, stage 7 → 25; under overlap the same
int chunks_in_flight(const FlightPlan& plan, int stage);

/// Bytes held at the peak, where the virtual stages of a chunk keep different amounts: a replay of
/// the schedule's order over its first rounds, after which it repeats.
double peak_of_chunks(const FlightPlan& plan, int stage, std::span<const double> chunk_bytes);

}  // namespace epwise::model
