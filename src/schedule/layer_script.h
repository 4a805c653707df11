#pragma once

#include <array>
#include <cstddef>

#include "schedule/layer_pair.h"

namespace epwise::schedule {

/// The nodes of one layer of a slot in the order of issue, with everything looked up: what
/// `advance` runs once and a stack of equal layers many times. No allocation.
class LayerScript {
 public:
  explicit LayerScript(const IssueRules& rules) : rules_(rules) {}

  /// See `advance`.
  LayerScript(const LayerCost* forward,
              const LayerCost* backward,
              const IssueRules& rules,
              bool keep_wgrad = false);

  /// See `issue`.
  void add(const NodeCost& cost, double Clocks::*stream, double Clocks::*event);

  void run(Clocks& clocks) const;

  /// The same `times` times in a row. Once all GPU clocks have twice grown by the same amount, and
  /// the host's by that or (if it never waits for the GPU) by less, they go on so for ever: steps
  /// over (max, +) are homogeneous, and a host that falls behind can't decide again. The rest is
  /// then one multiplication, up to rounding; stacks whose pattern is longer than a layer are run
  /// to the end.
  void run(Clocks& clocks, int times) const;

 private:
  struct Step {
    NodeCost cost;
    double Clocks::*stream = &Clocks::compute;
    double Clocks::*event = nullptr;
    HostSync sync = HostSync::none;
  };

  void run_step(Clocks& clocks, const Step& step) const;

  IssueRules rules_;
  std::array<Step, kNodeCount> steps_{};
  std::size_t size_ = 0;
  bool synchronises_ = false;
};

}  // namespace epwise::schedule
