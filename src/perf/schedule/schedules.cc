#include "perf/schedule/schedules.h"

#include <algorithm>

#include "perf/schedule/pipeline.h"

namespace epwise::schedule {

/// One stage, no overlap: each micro-batch runs forward and immediately backward.
///   M = 2: F0 B0 F1 B1
Schedule no_pipeline();

/// 1F1B without interleaving: stage r runs P − r − 1 forwards, then alternates one forward and one
/// backward. Incompatible with expert-parallel overlap: on the last stage, the pieces of one turn
/// depend on each other.
///   P = 2, M = 3, stage 0: F0 F1 B0 F2 B1 B2;  stage 1: F0 B0 F1 B1 F2 B2
Schedule one_f_one_b();

/// Interleaved 1F1B: stage r holds V chunks and runs 2 (P − r − 1) + (V − 1) G forwards first.
///   P = 2, V = 2, M = 2, stage 1: F0.0 F1.0 F0.1 B0.1 F1.1 B1.1 B0.0 B1.0
Schedule interleaved();

/// Forwards that stage r runs before its first backward, limited to all of them; `extra` more if
/// forwards and backwards are paired.
int interleaved_warmup(const Pipeline& pipeline, int stage, int extra);

/// Combined 1F1B: one more forward than in other schedules runs ahead, so the forward and the
/// backward of a slot never depend on each other; the warm-up's forwards and the last backwards run
/// unpaired and hide nothing. Without a pipeline the first forward and the last backward run alone.
///   M = 3: F0 F1+B0 F2+B1 B2
Schedule ep_overlap();

std::vector<Piece> forward_pieces(const Pipeline& pipeline) {
  std::vector<Piece> pieces;
  pieces.reserve(static_cast<std::size_t>(pipeline.pieces()));
  const int group = pipeline.group_size();
  for (int first = 0; first < pipeline.micro_batches; first += group) {
    const int end = std::min(first + group, pipeline.micro_batches);
    for (int chunk = 0; chunk < pipeline.chunks; ++chunk) {
      for (int micro_batch = first; micro_batch < end; ++micro_batch) {
        pieces.push_back({micro_batch, chunk});
      }
    }
  }
  return pieces;
}

std::vector<Piece> backward_pieces(const Pipeline& pipeline) {
  auto pieces = forward_pieces(pipeline);
  for (Piece& piece : pieces) {
    piece.chunk = pipeline.chunks - 1 - piece.chunk;
  }
  return pieces;
}

std::vector<Slot> slots_after_warmup(const Pipeline& pipeline, int warmup, bool paired) {
  const auto forwards = forward_pieces(pipeline);
  const auto backwards = backward_pieces(pipeline);
  const auto alone = static_cast<std::size_t>(warmup);
  std::vector<Slot> slots;
  slots.reserve(2 * forwards.size());
  for (std::size_t i = 0; i < forwards.size(); ++i) {
    if (i < alone) {
      slots.push_back({forwards[i], {}});
    } else if (paired) {
      slots.push_back({forwards[i], backwards[i - alone]});
    } else {
      slots.push_back({forwards[i], {}});
      slots.push_back({{}, backwards[i - alone]});
    }
  }
  for (std::size_t i = forwards.size() - alone; i < backwards.size(); ++i) {
    slots.push_back({{}, backwards[i]});
  }
  return slots;
}

namespace {

bool no_pipeline_fits(const Pipeline& pipeline) {
  return pipeline.stages == 1 && !pipeline.ep_overlap;
}

int no_pipeline_warmup(const Pipeline& /*pipeline*/, int /*stage*/) {
  return 0;
}

std::vector<Slot> no_pipeline_slots(const Pipeline& pipeline, int stage) {
  return slots_after_warmup(pipeline, no_pipeline_warmup(pipeline, stage), false);
}

}  // namespace

Schedule no_pipeline() {
  return {"no pipeline", no_pipeline_fits, no_pipeline_warmup, no_pipeline_slots};
}

namespace {

bool one_f_one_b_fits(const Pipeline& pipeline) {
  return pipeline.stages > 1 && pipeline.chunks == 1;
}

int one_f_one_b_warmup(const Pipeline& pipeline, int stage) {
  return std::min(pipeline.stages - stage - 1, pipeline.micro_batches);
}

std::vector<Slot> one_f_one_b_slots(const Pipeline& pipeline, int stage) {
  return slots_after_warmup(pipeline, one_f_one_b_warmup(pipeline, stage), false);
}

}  // namespace

Schedule one_f_one_b() {
  return {"1F1B", one_f_one_b_fits, one_f_one_b_warmup, one_f_one_b_slots};
}

namespace {

bool interleaved_fits(const Pipeline& pipeline) {
  return pipeline.chunks > 1 && !pipeline.ep_overlap;
}

int interleaved_warmup_of(const Pipeline& pipeline, int stage) {
  return interleaved_warmup(pipeline, stage, 0);
}

std::vector<Slot> interleaved_slots(const Pipeline& pipeline, int stage) {
  return slots_after_warmup(pipeline, interleaved_warmup_of(pipeline, stage), false);
}

}  // namespace

int interleaved_warmup(const Pipeline& pipeline, int stage, int extra) {
  return std::min(
      2 * (pipeline.stages - stage - 1) + (pipeline.chunks - 1) * pipeline.group_size() + extra,
      pipeline.pieces());
}

Schedule interleaved() {
  return {"interleaved 1F1B", interleaved_fits, interleaved_warmup_of, interleaved_slots};
}

namespace {

bool ep_overlap_fits(const Pipeline& pipeline) {
  return pipeline.ep_overlap;
}

int ep_overlap_warmup(const Pipeline& pipeline, int stage) {
  return interleaved_warmup(pipeline, stage, 1);
}

std::vector<Slot> ep_overlap_slots(const Pipeline& pipeline, int stage) {
  return slots_after_warmup(pipeline, ep_overlap_warmup(pipeline, stage), true);
}

}  // namespace

Schedule ep_overlap() {
  return {"combined 1F1B", ep_overlap_fits, ep_overlap_warmup, ep_overlap_slots};
}

const std::vector<Schedule>& all_schedules() {
  static const std::vector<Schedule> schedules = {
      no_pipeline(),
      one_f_one_b(),
      interleaved(),
      ep_overlap(),
  };
  return schedules;
}

}  // namespace epwise::schedule
