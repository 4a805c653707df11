#include "perf/schedule/layer_pair.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace epwise::schedule {

namespace {

constexpr std::array<std::string_view, kNodeCount> kNodeNames = {"attention forward",
                                                                 "dispatch forward",
                                                                 "experts forward",
                                                                 "combine forward",
                                                                 "post forward",
                                                                 "post backward",
                                                                 "combine backward",
                                                                 "experts backward",
                                                                 "experts wgrad",
                                                                 "dispatch backward",
                                                                 "attention backward",
                                                                 "attention wgrad"};

double time_of(const LayerCost& layer, bool forward) {
  double sum = 0;
  for (std::size_t i = 0; i < kNodeCount; ++i) {
    const auto node = static_cast<Node>(i);
    if (is_forward(node) == forward && layer.has(node)) {
      sum += layer[node].gpu;
    }
  }
  return sum;
}

}  // namespace

std::string_view to_string(Node node) {
  return kNodeNames[static_cast<std::size_t>(node)];
}

double forward_time(const LayerCost& layer) {
  return time_of(layer, true);
}

double backward_time(const LayerCost& layer) {
  return time_of(layer, false);
}

double serial_time(const LayerCost& layer) {
  return forward_time(layer) + backward_time(layer);
}

namespace {

/// The advance of each clock in one step.
struct Growth {
  double gpu = 0;
  double host = 0;
  bool even = false;  // all GPU clocks by the same amount
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
    // The counts are available some time after the first kernel's start; the rest of the node is
    // issued once the host has them.
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

namespace {

constexpr std::array<Node, kNodeCount> kOrder = {
    Node::post_backward,
    Node::combine_backward,
    Node::attention_forward,
    Node::experts_backward,
    Node::dispatch_forward,
    Node::experts_wgrad,
    Node::dispatch_backward,
    Node::experts_forward,
    Node::combine_forward,
    Node::attention_backward,
    Node::post_forward,
    Node::attention_wgrad,
};

constexpr std::array<Node, kNodeCount> kEarlyOrder = {
    Node::post_backward,
    Node::combine_backward,
    Node::attention_forward,
    Node::experts_backward,
    Node::dispatch_forward,
    Node::experts_wgrad,
    Node::dispatch_backward,
    Node::attention_backward,
    Node::experts_forward,
    Node::combine_forward,
    Node::post_forward,
    Node::attention_wgrad,
};

NodeCost with_wgrad(const NodeCost& node, const NodeCost& wgrad) {
  return {node.gpu + wgrad.gpu, node.host + wgrad.host, wgrad.gpu > 0 ? wgrad.tail : node.tail};
}

}  // namespace

const std::array<Node, kNodeCount>& issue_order(const IssueRules& rules) {
  return rules.early_release ? kEarlyOrder : kOrder;
}

NodeCost issued_cost(const LayerCost& layer, Node node, const IssueRules& rules) {
  if (!rules.delayed_wgrad && node == Node::experts_backward) {
    return with_wgrad(layer[node], layer[Node::experts_wgrad]);
  }
  if (!rules.delayed_wgrad && node == Node::attention_backward) {
    return with_wgrad(layer[node], layer[Node::attention_wgrad]);
  }
  return layer[node];
}

void issue(Clocks& clocks,
           const NodeCost& cost,
           double Clocks::*stream,
           double Clocks::*event,
           const IssueRules& rules) {
  LayerScript script(rules);
  script.add(cost, stream, event);
  script.run(clocks);
}

void advance(Clocks& clocks,
             const LayerCost* forward,
             const LayerCost* backward,
             const IssueRules& rules,
             bool keep_wgrad) {
  LayerScript(forward, backward, rules, keep_wgrad).run(clocks);
}

double pair_time(const LayerCost& layer, int layers, const IssueRules& rules) {
  const LayerScript script(&layer, &layer, rules);
  Clocks clocks;
  script.run(clocks, layers);
  return clocks.gpu();
}

double pair_growth(const LayerCost& layer, int layers, int tail, const IssueRules& rules) {
  assert(0 < tail && tail < layers && "the tail is a part of the layers");
  const LayerScript script(&layer, &layer, rules);
  Clocks clocks;
  double before = 0;
  for (int i = 0; i < layers; ++i) {
    if (i == layers - tail) {
      before = clocks.gpu();
    }
    script.run(clocks);
  }
  return (clocks.gpu() - before) / tail;
}

namespace {

constexpr double kNoPath = -std::numeric_limits<double>::infinity();

using Row = std::array<double, kClockCount>;

Row row_of(const Clocks& x) {
  return {x.compute, x.comm, x.host, x.forward, x.backward, x.queue};
}

Row product(const MaxPlusMatrix& a, const Row& x) {
  Row y{};
  for (std::size_t i = 0; i < kClockCount; ++i) {
    double most = kNoPath;
    for (std::size_t j = 0; j < kClockCount; ++j) {
      most = std::max(most, a[i][j] + x[j]);
    }
    y[i] = most;
  }
  return y;
}

MaxPlusMatrix identity() {
  MaxPlusMatrix one{};
  for (std::size_t i = 0; i < kClockCount; ++i) {
    one[i].fill(kNoPath);
    one[i][i] = 0;
  }
  return one;
}

}  // namespace

MaxPlusMatrix multiply(const MaxPlusMatrix& a, const MaxPlusMatrix& b) {
  MaxPlusMatrix c{};
  for (std::size_t i = 0; i < kClockCount; ++i) {
    for (std::size_t j = 0; j < kClockCount; ++j) {
      double most = kNoPath;
      for (std::size_t k = 0; k < kClockCount; ++k) {
        most = std::max(most, a[i][k] + b[k][j]);
      }
      c[i][j] = most;
    }
  }
  return c;
}

MaxPlusMatrix power(MaxPlusMatrix a, int n) {
  assert(n >= 0 && "a step can't be taken back");
  MaxPlusMatrix result = identity();
  for (; n > 0; n /= 2) {
    if (n % 2 == 1) {
      result = multiply(a, result);
    }
    if (n > 1) {
      a = multiply(a, a);
    }
  }
  return result;
}

Clocks apply(const MaxPlusMatrix& a, const Clocks& x) {
  const Row y = product(a, row_of(x));
  return {y[0], y[1], y[2], y[3], y[4], y[5]};
}

double max_cycle_mean(const MaxPlusMatrix& a) {
  // walks[k][v]: the heaviest walk of k arcs that ends in v, starting anywhere.
  std::array<Row, kClockCount + 1> walks{};
  for (std::size_t k = 1; k <= kClockCount; ++k) {
    walks[k] = product(a, walks[k - 1]);
  }
  double best = kNoPath;
  for (std::size_t v = 0; v < kClockCount; ++v) {
    if (walks[kClockCount][v] == kNoPath) {
      continue;
    }
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < kClockCount; ++k) {
      // A walk of k arcs that does not exist imposes no bound.
      const double mean =
          (walks[kClockCount][v] - walks[k][v]) / static_cast<double>(kClockCount - k);
      least = std::min(least, mean);
    }
    best = std::max(best, least);
  }
  return best;
}

namespace {

constexpr std::array<double Clocks::*, kClockCount> kClocks = {
    &Clocks::compute,
    &Clocks::comm,
    &Clocks::host,
    &Clocks::forward,
    &Clocks::backward,
    &Clocks::queue,
};

}  // namespace

MaxPlusMatrix pair_matrix(const LayerCost* forward,
                          const LayerCost* backward,
                          const IssueRules& rules) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  const LayerScript script(forward, backward, rules);
  MaxPlusMatrix matrix{};
  for (std::size_t j = 0; j < kClockCount; ++j) {
    Clocks clocks{kNever, kNever, kNever, kNever, kNever, kNever};
    clocks.*kClocks[j] = 0;
    script.run(clocks);
    for (std::size_t i = 0; i < kClockCount; ++i) {
      matrix[i][j] = clocks.*kClocks[i];
    }
  }
  return matrix;
}

double pair_period(const LayerCost& layer, const IssueRules& rules) {
  return max_cycle_mean(pair_matrix(&layer, &layer, rules));
}

}  // namespace epwise::schedule
