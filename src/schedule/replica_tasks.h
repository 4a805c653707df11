#pragma once

#include <span>
#include <vector>

#include "schedule/chunk.h"
#include "schedule/pipeline.h"
#include "schedule/pipeline_cost.h"
#include "schedule/task_graph.h"

namespace epwise::schedule {

/// The data-parallel exchanges of a step by layers, added to a graph of nodes as it grows:
/// parameters in the order of the stage's chunks from the step's start, gradients behind their
/// layer's last backward, or a chunk at once and some slots later where they are aligned.
class ReplicaTasks {
 public:
  /// Refers to `chunks` and what `cost` views.
  ReplicaTasks(const Pipeline& pipeline,
               std::span<const ChunkCost> chunks,
               const ReplicaCost& cost);

  void add_gathers(TaskGraph& graph);

  /// The task that brings a layer's parameters; −1: none.
  int gather_of(int stage, int chunk, int layer) const;

  /// The gradients of the layer whose last backward node is task `after`.
  void add_reduce(TaskGraph& graph, int after);

  /// A slot with a backward has ended in task `last`: reductions that waited for it begin.
  void end_backward(TaskGraph& graph, int stage, int last);

  /// The stage's last slot has ended in task `last`: all that are left begin.
  void end_step(TaskGraph& graph, int stage, int last);

 private:
  struct Owed {
    int chunk = 0;
    int due = 0;  // slots with a backward that must have ended
  };

  struct Stage {
    std::vector<std::vector<int>> gathers;  // by chunk and layer
    std::vector<Owed> owed;
    int backwards = 0;
  };

  Stage& at(int stage) { return stages_[static_cast<std::size_t>(stage)]; }

  int layers_of(int stage, int chunk) const;
  void launch(TaskGraph& graph, int stage, const Owed& owed, int after);

  Pipeline pipeline_;
  std::span<const ChunkCost> chunks_;
  ReplicaCost cost_;
  std::vector<Stage> stages_;
};

}  // namespace epwise::schedule
