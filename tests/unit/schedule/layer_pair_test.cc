#include "perf/schedule/layer_pair.h"

#include <algorithm>
#include <array>
#include <vector>

#include <doctest/doctest.h>

#include "support/sampling.h"
#include "support/schedule_draw.h"

namespace epwise::schedule {

namespace {

LayerCost even_layer(double seconds) {
  LayerCost layer;
  for (std::size_t i = 0; i < kNodeCount; ++i) {
    layer.nodes[i].gpu = seconds;
  }
  layer[Node::experts_wgrad].gpu = 0;
  layer[Node::attention_wgrad].gpu = 0;
  return layer;
}

/// A node of an explicit event simulation: streams are queues, in no need of clocks that wait.
struct Job {
  bool comm = false;
  int micro_batch = 0;  // 0 forward, 1 backward, −1: neither waits nor records
  double duration = 0;
};

/// The GPU part of a stack of equal pairs, as one list of jobs with explicit predecessors.
double simulated_stack(const LayerCost& layer, int layers, const IssueRules& rules) {
  std::vector<Job> jobs;
  const auto add = [&](Node node, int micro_batch, double more = 0) {
    if (layer.has(node)) {
      jobs.push_back({is_exchange(node), micro_batch, layer[node].gpu + more});
    }
  };
  const double late_m = rules.delayed_wgrad ? 0 : layer[Node::experts_wgrad].gpu;
  const double late_a = rules.delayed_wgrad ? 0 : layer[Node::attention_wgrad].gpu;
  for (int i = 0; i < layers; ++i) {
    add(Node::post_backward, 1);
    add(Node::combine_backward, 1);
    add(Node::attention_forward, 0);
    add(Node::experts_backward, 1, late_m);
    add(Node::dispatch_forward, 0);
    if (rules.delayed_wgrad) {
      add(Node::experts_wgrad, -1);
    }
    add(Node::dispatch_backward, 1);
    if (rules.early_release) {
      add(Node::attention_backward, 1, late_a);
    }
    add(Node::experts_forward, 0);
    add(Node::combine_forward, 0);
    if (!rules.early_release) {
      add(Node::attention_backward, 1, late_a);
    }
    add(Node::post_forward, 0);
    if (rules.delayed_wgrad) {
      add(Node::attention_wgrad, -1);
    }
  }
  std::vector<double> ends(jobs.size(), 0);
  double last = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    double start = 0;
    for (std::size_t j = 0; j < i; ++j) {
      const bool same_stream = jobs[j].comm == jobs[i].comm;
      const bool same_event =
          jobs[i].micro_batch >= 0 && jobs[j].micro_batch == jobs[i].micro_batch;
      start = same_stream || same_event ? std::max(start, ends[j]) : start;
    }
    ends[i] = start + jobs[i].duration;
    last = std::max(last, ends[i]);
  }
  return last;
}

}  // namespace

TEST_CASE("two even layers") {
  CHECK(pair_time(even_layer(1), 1, {}) == doctest::Approx(4));
  CHECK(pair_time(even_layer(1), 2, {}) == doctest::Approx(8));
  CHECK(serial_time(even_layer(1)) == doctest::Approx(8));
}

TEST_CASE("issue order") {
  IssueRules rules;
  rules.early_release = true;
  const auto place = [](const auto& order, Node node) {
    return std::ranges::find(order, node) - order.begin();
  };
  const auto& late = issue_order({});
  const auto& early = issue_order(rules);
  CHECK(place(late, Node::experts_forward) < place(late, Node::attention_backward));
  CHECK(place(early, Node::attention_backward) < place(early, Node::experts_forward));
  CHECK(place(late, Node::experts_wgrad) < place(late, Node::dispatch_backward));
  CHECK(late.back() == Node::attention_wgrad);
}

TEST_CASE("the clocks against a list of jobs with explicit predecessors") {
  test::Draw draw(3);
  for (int round = 0; round < 2000 / test::sanitized_share(20); ++round) {
    const LayerCost layer = draw.layer(0, 1);
    IssueRules rules;
    rules.delayed_wgrad = draw.coin();
    rules.early_release = draw.coin();
    const int layers = draw.whole(1, 6);
    CHECK(pair_time(layer, layers, rules) ==
          doctest::Approx(simulated_stack(layer, layers, rules)).epsilon(1e-12));
  }
}

TEST_CASE("many layers at once are the layers one by one, the host's clock too") {
  test::Draw draw(25);
  for (int round = 0; round < 1500 / test::sanitized_share(20); ++round) {
    const LayerCost layer = draw.layer(0, 1, draw.real(0, 2));
    const LayerCost other = draw.layer(0, 1, draw.real(0, 2));
    const IssueRules rules = draw.rules();
    const LayerCost* forward = draw.whole(0, 4) > 0 ? &layer : nullptr;
    const LayerCost* backward = draw.whole(0, 4) > 0 ? &other : nullptr;
    Clocks at_once;
    Clocks one_by_one;
    at_once.compute = one_by_one.compute = draw.real(0, 3);
    at_once.host = one_by_one.host = draw.real(0, 9);
    const int layers = draw.whole(1, 60);
    LayerScript(forward, backward, rules).run(at_once, layers);
    for (int i = 0; i < layers; ++i) {
      advance(one_by_one, forward, backward, rules);
    }
    CHECK(at_once.compute == doctest::Approx(one_by_one.compute).epsilon(1e-10));
    CHECK(at_once.comm == doctest::Approx(one_by_one.comm).epsilon(1e-10));
    CHECK(at_once.host == doctest::Approx(one_by_one.host).epsilon(1e-10));
    CHECK(at_once.forward == doctest::Approx(one_by_one.forward).epsilon(1e-10));
    CHECK(at_once.backward == doctest::Approx(one_by_one.backward).epsilon(1e-10));
    CHECK(at_once.queue == doctest::Approx(one_by_one.queue).epsilon(1e-10));
  }
}

TEST_CASE("the reference's recurrence is one setting of it") {
  // step_model.py `pair` without contention: sync 50 us, latency 10 us, a third of the experts'
  // backward and of attention's belongs to delayed weight gradients. Microseconds.
  struct Row {
    bool sync = false;
    bool delayed = false;
    std::array<double, 10> gpu{};  // Af Df Mf Cf Cb Mb Mw Db Ab Aw
    std::array<double, 8> host{};  // Af Df Mf Cf Cb Mb Db Ab
    double period = 0;
  };

  const Row rows[] = {
      {false,
       false,
       {571.4, 591.8, 854.5, 526.0, 755.1, 410.8, 404.8, 640.9, 653.9, 276.2},
       {594.1, 308.0, 127.2, 197.3, 194.7, 604.8, 112.6, 942.7},
       3355.3},
      {true,
       true,
       {692.4, 630.9, 394.5, 210.5, 524.8, 414.1, 296.8, 221.1, 664.2, 117.9},
       {940.5, 249.9, 255.7, 118.6, 91.7, 520.1, 298.7, 1373.9},
       3899.1},
      {false,
       true,
       {898.6, 897.0, 804.1, 695.5, 480.3, 473.4, 228.1, 736.4, 557.6, 168.9},
       {1346.6, 100.2, 387.4, 186.5, 120.5, 623.7, 162.9, 1009.2},
       3937.0},
      {true,
       false,
       {888.2, 478.2, 343.8, 640.6, 730.6, 352.3, 333.0, 874.9, 789.3, 180.9},
       {154.5, 84.8, 32.6, 33.5, 29.3, 57.5, 38.3, 224.3},
       3418.6},
      {false,
       true,
       {414.4, 712.3, 378.6, 650.6, 762.4, 427.7, 307.9, 879.7, 458.3, 226.2},
       {201.0, 89.1, 40.8, 16.3, 49.6, 99.3, 73.1, 352.0},
       3005.0},
      {true,
       false,
       {427.9, 380.8, 763.6, 430.3, 620.9, 354.1, 433.1, 370.1, 548.2, 122.0},
       {217.9, 68.1, 96.9, 19.4, 18.3, 110.5, 90.0, 265.6},
       2841.9},
  };
  for (const Row& row : rows) {
    LayerCost layer;
    layer[Node::attention_forward] = {row.gpu[0], row.host[0]};
    layer[Node::dispatch_forward] = {row.gpu[1], row.host[1]};
    layer[Node::experts_forward] = {row.gpu[2], row.host[2]};
    layer[Node::combine_forward] = {row.gpu[3], row.host[3]};
    layer[Node::combine_backward] = {row.gpu[4], row.host[4]};
    layer[Node::experts_backward] = {row.gpu[5], row.host[5] * 0.67};
    layer[Node::experts_wgrad] = {row.gpu[6], row.host[5] * 0.33};
    layer[Node::dispatch_backward] = {row.gpu[7], row.host[6]};
    layer[Node::attention_backward] = {row.gpu[8], row.host[7] * 0.67};
    layer[Node::attention_wgrad] = {row.gpu[9], row.host[7] * 0.33};
    IssueRules rules;
    rules.delayed_wgrad = row.delayed;
    rules.sync = row.sync ? HostSync::before_dispatch : HostSync::none;
    rules.sync_cost = 50;
    rules.launch_latency = 10;
    CHECK(pair_growth(layer, 8, 4, rules) == doctest::Approx(row.period).epsilon(1e-12));
    CHECK(pair_period(layer, rules) == doctest::Approx(row.period).epsilon(1e-12));
  }
}

TEST_CASE("a dense layer's exchanges don't even wait") {
  LayerCost dense = even_layer(1);
  dense.exchanges = false;
  CHECK(pair_time(dense, 3, {}) == doctest::Approx(12));
  CHECK(forward_time(dense) == doctest::Approx(2));
  CHECK(backward_time(dense) == doctest::Approx(2));
}

TEST_CASE("one hardware queue keeps a dispatch from hiding behind the experts before it") {
  LayerCost layer = even_layer(1);
  layer[Node::experts_backward].tail = 1;
  IssueRules rules;
  rules.one_queue = true;
  CHECK(pair_time(layer, 4, rules) > pair_time(layer, 4, {}));
}

TEST_CASE("host: nothing changes nothing, much is all there is") {
  test::Draw draw(4);
  for (int round = 0; round < 300; ++round) {
    LayerCost layer = draw.layer(0.1, 1);
    IssueRules rules = draw.rules();
    rules.one_queue = false;
    LayerCost slow = layer;
    double host = 0;
    for (auto& node : slow.nodes) {
      node.host = 100;
    }
    for (const Node node : issue_order(rules)) {
      host += slow.has(node) ? 100 : 0;
    }
    rules.sync = HostSync::none;
    CHECK(pair_period(slow, rules) == doctest::Approx(host));
    IssueRules at_once = rules;
    at_once.launch_latency = 0;
    CHECK(pair_period(layer, rules) == doctest::Approx(pair_period(layer, at_once)));
  }
}

}  // namespace epwise::schedule
