#include "schedule/layer_script.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace epwise::schedule {

namespace {

/// How far each clock went in one step.
struct Growth {
  double gpu = 0;
  double host = 0;
  bool even = false;  // all GPU clocks alike
};

bool is_near(double a, double b, double scale) {
  return std::abs(a - b) <= 1e-12 * scale;
}

Growth growth_of(const Clocks& before, const Clocks& after) {
  Growth growth;
  growth.gpu = after.compute - before.compute;
  growth.host = after.host - before.host;
  const double scale = std::abs(after.compute) + std::abs(after.comm);
  growth.even = is_near(after.comm - before.comm, growth.gpu, scale) &&
                is_near(after.forward - before.forward, growth.gpu, scale) &&
                is_near(after.backward - before.backward, growth.gpu, scale) &&
                is_near(after.queue - before.queue, growth.gpu, scale);
  return growth;
}

bool is_settled(const Growth& last, const Growth& now, double scale, bool synchronises) {
  return last.even && now.even && is_near(last.gpu, now.gpu, scale) &&
         is_near(last.host, now.host, scale) &&
         ((now.host < now.gpu && !synchronises) || is_near(now.host, now.gpu, scale));
}

void advance_all(Clocks& clocks, double gpu, double host) {
  clocks.compute += gpu;
  clocks.comm += gpu;
  clocks.forward += gpu;
  clocks.backward += gpu;
  clocks.queue += gpu;
  clocks.host += host;
}

}  // namespace

LayerScript::LayerScript(const LayerCost* forward,
                         const LayerCost* backward,
                         const IssueRules& rules,
                         bool keep_wgrad)
    : rules_(rules) {
  for (const Node node : issue_order(rules)) {
    const LayerCost* layer = is_forward(node) ? forward : backward;
    if (layer == nullptr || !layer->has(node)) {
      continue;
    }
    if (is_wgrad(node)) {
      if (rules.delayed_wgrad && !(keep_wgrad && node == Node::attention_wgrad)) {
        add((*layer)[node], &Clocks::compute, nullptr);
      }
      continue;
    }
    add(issued_cost(*layer, node, rules),
        is_exchange(node) ? &Clocks::comm : &Clocks::compute,
        is_forward(node) ? &Clocks::forward : &Clocks::backward);
    if (node == Node::dispatch_forward) {
      steps_[size_ - 1].sync = rules.sync;
      synchronises_ = rules.sync != HostSync::none;
    }
  }
}

void LayerScript::add(const NodeCost& cost, double Clocks::*stream, double Clocks::*event) {
  assert(size_ < kNodeCount && "a layer has no more nodes than these");
  steps_[size_++] = {cost, stream, event, HostSync::none};
}

void LayerScript::run(Clocks& clocks) const {
  for (std::size_t i = 0; i < size_; ++i) {
    run_step(clocks, steps_[i]);
  }
}

void LayerScript::run(Clocks& clocks, int times) const {
  Growth last;
  for (int i = 0; i < times; ++i) {
    const Clocks before = clocks;
    run(clocks);
    const Growth now = growth_of(before, clocks);
    if (is_settled(last, now, std::abs(clocks.compute), synchronises_)) {
      const int rest = times - i - 1;
      advance_all(clocks, rest * now.gpu, rest * now.host);
      return;
    }
    last = now;
  }
}

void LayerScript::run_step(Clocks& clocks, const Step& step) const {
  double host = clocks.host;
  if (step.sync == HostSync::before_dispatch) {
    host = std::max(host, clocks.*step.event) + rules_.sync_cost;
  }
  double start = std::max(clocks.*step.stream, host + rules_.launch_latency);
  if (step.event != nullptr) {
    start = std::max(start, clocks.*step.event);
  }
  if (rules_.one_queue) {
    start = std::max(start, clocks.queue);
  }
  host += step.cost.host;
  if (step.sync == HostSync::in_dispatch) {
    // The counts are there some time after the first kernel's start; the rest of the node is issued
    // when the host has them.
    host = std::max(host, start + rules_.sync_offset) + rules_.sync_cost;
  }
  const double end = std::max(start + step.cost.gpu, host + rules_.launch_latency);
  clocks.host = host;
  clocks.*step.stream = end;
  clocks.queue = end - step.cost.tail;
  if (step.event != nullptr) {
    clocks.*step.event = end;
  }
}

}  // namespace epwise::schedule
