#include "schedule/layer_pair.h"

#include <cassert>

#include "schedule/layer_script.h"

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

}  // namespace epwise::schedule
