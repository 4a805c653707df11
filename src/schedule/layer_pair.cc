#include "schedule/layer_pair.h"

#include <algorithm>
#include <cassert>

namespace epwise::schedule {

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

bool is_forward(Node node) {
  return node <= Node::post_forward;
}

bool is_wgrad(Node node) {
  return node == Node::experts_wgrad || node == Node::attention_wgrad;
}

NodeCost with_wgrad(const NodeCost& node, const NodeCost& wgrad) {
  return {node.gpu + wgrad.gpu, node.host + wgrad.host, wgrad.gpu > 0 ? wgrad.tail : node.tail};
}

NodeCost cost_of(const LayerCost& layer, Node node, const IssueRules& rules) {
  if (!rules.delayed_wgrad && node == Node::experts_backward) {
    return with_wgrad(layer[node], layer[Node::experts_wgrad]);
  }
  if (!rules.delayed_wgrad && node == Node::attention_backward) {
    return with_wgrad(layer[node], layer[Node::attention_wgrad]);
  }
  return layer[node];
}

void issue_dispatch(Clocks& clocks, const NodeCost& cost, const IssueRules& rules) {
  if (rules.sync == HostSync::before_dispatch) {
    clocks.host = std::max(clocks.host, clocks.forward) + rules.sync_cost;
  }
  if (rules.sync != HostSync::in_dispatch) {
    issue(clocks, cost, &Clocks::comm, &Clocks::forward, rules);
    return;
  }
  // The counts are there some time after the first kernel's start; the rest of the node is issued
  // when the host has them.
  double start = std::max({clocks.comm, clocks.forward, clocks.host + rules.launch_latency});
  if (rules.one_queue) {
    start = std::max(start, clocks.queue);
  }
  clocks.host = std::max(clocks.host + cost.host, start + rules.sync_offset) + rules.sync_cost;
  const double end = std::max(start + cost.gpu, clocks.host + rules.launch_latency);
  clocks.comm = end;
  clocks.forward = end;
  clocks.queue = end - cost.tail;
}

}  // namespace

const std::array<Node, kNodeCount>& issue_order(const IssueRules& rules) {
  return rules.early_release ? kEarlyOrder : kOrder;
}

void issue(Clocks& clocks,
           const NodeCost& cost,
           double Clocks::*stream,
           double Clocks::*event,
           const IssueRules& rules) {
  double start = std::max(clocks.*stream, clocks.host + rules.launch_latency);
  if (event != nullptr) {
    start = std::max(start, clocks.*event);
  }
  if (rules.one_queue) {
    start = std::max(start, clocks.queue);
  }
  clocks.host += cost.host;
  const double end = std::max(start + cost.gpu, clocks.host + rules.launch_latency);
  clocks.*stream = end;
  clocks.queue = end - cost.tail;
  if (event != nullptr) {
    clocks.*event = end;
  }
}

void advance(Clocks& clocks,
             const LayerCost* forward,
             const LayerCost* backward,
             const IssueRules& rules,
             bool keep_wgrad) {
  for (const Node node : issue_order(rules)) {
    const LayerCost* layer = is_forward(node) ? forward : backward;
    if (layer == nullptr || !layer->has(node)) {
      continue;
    }
    if (is_wgrad(node)) {
      if (rules.delayed_wgrad && !(keep_wgrad && node == Node::attention_wgrad)) {
        issue(clocks, (*layer)[node], &Clocks::compute, nullptr, rules);
      }
    } else if (node == Node::dispatch_forward) {
      issue_dispatch(clocks, (*layer)[node], rules);
    } else {
      issue(clocks,
            cost_of(*layer, node, rules),
            is_exchange(node) ? &Clocks::comm : &Clocks::compute,
            is_forward(node) ? &Clocks::forward : &Clocks::backward,
            rules);
    }
  }
}

double pair_time(const LayerCost& layer, int layers, const IssueRules& rules) {
  Clocks clocks;
  for (int i = 0; i < layers; ++i) {
    advance(clocks, &layer, &layer, rules);
  }
  return clocks.gpu();
}

double pair_growth(const LayerCost& layer, int layers, int tail, const IssueRules& rules) {
  assert(0 < tail && tail < layers && "the tail is a part of the layers");
  Clocks clocks;
  double before = 0;
  for (int i = 0; i < layers; ++i) {
    if (i == layers - tail) {
      before = clocks.gpu();
    }
    advance(clocks, &layer, &layer, rules);
  }
  return (clocks.gpu() - before) / tail;
}

}  // namespace epwise::schedule
