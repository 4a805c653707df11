#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "perf/schedule/layer_pair.h"
#include "perf/schedule/pipeline.h"
#include "perf/schedule/pipeline_cost.h"

namespace epwise::test {

/// Random pipelines, layers and durations of schedule tests. The same seed, the same draws.
class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}

  // The standard's distributions differ between libraries; these don't.
  double real(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 5U) / 134217728.0;
  }

  int whole(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<unsigned>(high - low + 1));
  }

  bool coin() { return whole(0, 1) == 1; }

  /// A pipeline without defect.
  schedule::Pipeline pipeline(int most_stages = 6, int most_micro_batches = 24) {
    schedule::Pipeline pipeline;
    do {
      pipeline.stages = whole(1, most_stages);
      pipeline.ep_overlap = coin();
      const bool interleaves = pipeline.stages > 1 && (pipeline.ep_overlap || coin());
      pipeline.chunks = interleaves ? whole(2, 4) : 1;
      pipeline.micro_batches = whole(1, most_micro_batches);
      pipeline.group = interleaves ? whole(0, pipeline.micro_batches) : 0;
    } while (!schedule::defect(pipeline).empty());
    return pipeline;
  }

  /// A layer with all its nodes between `low` and `high` seconds; `host` scales what the host
  /// takes.
  schedule::LayerCost layer(double low, double high, double host = 0) {
    schedule::LayerCost layer;
    layer.exchanges = whole(0, 5) > 0;
    layer.post = whole(0, 5) == 0;
    for (auto& node : layer.nodes) {
      node.gpu = real(low, high);
      node.host = host * real(low, high);
      node.tail = node.gpu * real(0, 1);
    }
    return layer;
  }

  schedule::IssueRules rules() {
    schedule::IssueRules rules;
    rules.delayed_wgrad = coin();
    rules.early_release = coin();
    rules.one_queue = whole(0, 3) == 0;
    rules.sync = static_cast<schedule::HostSync>(whole(0, 2));
    rules.sync_offset = real(0, 0.2);
    rules.sync_cost = real(0, 0.2);
    rules.launch_latency = real(0, 0.2);
    return rules;
  }

  /// Durations for every position and pair of a pipeline.
  struct Durations {
    std::vector<schedule::PieceTime> pieces;
    std::vector<schedule::SlotTime> pairs;

    schedule::PipelineCost cost() const {
      schedule::PipelineCost cost;
      cost.pieces = pieces;
      cost.pairs = pairs;
      return cost;
    }
  };

  /// Every position has times of its own.
  Durations unequal(const schedule::Pipeline& pipeline) {
    Durations durations;
    for (int i = 0; i < pipeline.positions(); ++i) {
      const double backward = real(0.5, 4);
      durations.pieces.push_back({real(0.5, 2), backward, backward * real(0, 0.2)});
    }
    if (pipeline.ep_overlap) {
      for (int i = 0; i < pipeline.stages * pipeline.chunks * pipeline.chunks; ++i) {
        const double pair = real(1, 5);
        durations.pairs.push_back({pair, pair * real(0, 0.2), pair * real(0, 0.2), 0});
      }
    }
    return durations;
  }

  /// All positions take the same.
  static Durations equal(const schedule::Pipeline& pipeline,
                         double forward,
                         double backward,
                         double pair) {
    Durations durations;
    const auto positions = static_cast<std::size_t>(pipeline.positions());
    durations.pieces.assign(positions, {forward, backward, 0});
    if (pipeline.ep_overlap) {
      durations.pairs.assign(positions * static_cast<std::size_t>(pipeline.chunks),
                             {pair, 0, 0, 0});
    }
    return durations;
  }

 private:
  std::mt19937 engine_;
};

}  // namespace epwise::test
