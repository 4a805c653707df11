#include "base/graph/dependency_graph.h"

#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace epwise::graph {

namespace {

using Edges = std::set<std::pair<int, int>>;

DependencyGraph build(int size, const Edges& edges) {
  DependencyGraph graph;
  for (int node = 0; node < size; ++node) {
    graph.add_node("n" + std::to_string(node));
  }
  for (const auto& [from, to] : edges) {
    graph.add_edge(from, to);
    graph.add_edge(from, to);  // twice counts once
  }
  return graph;
}

/// The obvious way: again and again the smallest node all of whose dependencies are placed.
std::vector<int> naive_order(int size, const Edges& edges) {
  std::vector<int> placed;
  std::set<int> done;
  bool moved = true;
  while (moved) {
    moved = false;
    for (int node = 0; node < size && !moved; ++node) {
      bool ready = !done.contains(node);
      for (const auto& [from, to] : edges) {
        ready = ready && (from != node || done.contains(to));
      }
      if (ready) {
        placed.push_back(node);
        done.insert(node);
        moved = true;
      }
    }
  }
  return placed;
}

/// The obvious way: add edges' ends until nothing changes.
std::vector<int> naive_reachable(int node, const Edges& edges) {
  std::set<int> found = {node};
  std::size_t before = 0;
  while (before != found.size()) {
    before = found.size();
    for (const auto& [from, to] : edges) {
      if (found.contains(from)) {
        found.insert(to);
      }
    }
  }
  found.erase(node);
  return {found.begin(), found.end()};
}

int random_below(std::mt19937& random, int bound) {
  return static_cast<int>(random() % static_cast<unsigned>(bound));
}

/// Edges go from larger to smaller numbers of a hidden shuffle, unless `cyclic` ones are wanted.
Edges random_edges(std::mt19937& random, int size, int count, bool cyclic) {
  std::vector<int> rank(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) {
    const int j = random_below(random, i + 1);
    rank[static_cast<std::size_t>(i)] = rank[static_cast<std::size_t>(j)];
    rank[static_cast<std::size_t>(j)] = i;
  }
  Edges edges;
  for (int i = 0; i < count; ++i) {
    const int a = random_below(random, size);
    const int b = random_below(random, size);
    const bool down = rank[static_cast<std::size_t>(a)] > rank[static_cast<std::size_t>(b)];
    if (cyclic || down) {
      edges.emplace(a, b);
    }
  }
  return edges;
}

}  // namespace

TEST_CASE("dependencies come first, smaller numbers before larger ones") {
  CHECK(build(0, {}).order() == std::vector<int>{});
  CHECK(build(3, {}).order() == std::vector<int>{0, 1, 2});
  CHECK(build(4, {{0, 3}, {1, 3}, {3, 2}}).order() == std::vector<int>{2, 3, 0, 1});
}

TEST_CASE("a cycle is named") {
  DependencyGraph graph;
  const int dp = graph.add_node("d.DP");
  const int m = graph.add_node("d.M");
  const int user = graph.add_node("d.user");
  CHECK(graph.cycle().empty());
  graph.add_edge(user, dp);
  graph.add_edge(dp, m);
  graph.add_edge(m, dp);
  CHECK(graph.cycle() == std::vector<std::string>{"d.DP", "d.M", "d.DP"});
  CHECK_FALSE(graph.order().has_value());
}

TEST_CASE("a node that needs itself is a cycle") {
  const auto graph = build(2, {{1, 1}});
  CHECK(graph.cycle() == std::vector<std::string>{"n1", "n1"});
  CHECK(graph.reachable(1).empty());
  CHECK_FALSE(graph.order().has_value());
}

TEST_CASE("the shortest cycle through the first node is shown") {
  const auto graph = build(5, {{0, 1}, {1, 2}, {2, 3}, {3, 1}, {2, 1}});
  CHECK(graph.cycle() == std::vector<std::string>{"n1", "n2", "n1"});
}

TEST_CASE("an edge to nowhere is our own mistake") {
  DependencyGraph graph;
  graph.add_node("a");
  CHECK_THROWS_AS(graph.add_edge(0, 1), std::logic_error);
  CHECK_THROWS_AS(graph.add_edge(-1, 0), std::logic_error);
  CHECK_THROWS_AS(graph.reachable(1), std::logic_error);
}

TEST_CASE("a long chain needs no deep stack") {
  constexpr int kLength = 100'000;
  DependencyGraph graph;
  for (int node = 0; node < kLength; ++node) {
    graph.add_node("n");
    if (node > 0) {
      graph.add_edge(node, node - 1);
    }
  }
  CHECK(graph.reachable(kLength - 1).size() == kLength - 1);
  CHECK(graph.cycle().empty());
}

TEST_CASE("random graphs agree with the obvious way") {
  std::mt19937 random(20261);  // NOLINT: a fixed seed, so that a failure can be repeated
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const int size = 1 + random_below(random, 12);
    const bool cyclic = round % 3 == 0;
    const Edges edges = random_edges(random, size, random_below(random, 30), cyclic);
    const auto graph = build(size, edges);
    const auto expected = naive_order(size, edges);
    const bool acyclic = expected.size() == static_cast<std::size_t>(size);
    CHECK(graph.order().has_value() == acyclic);
    if (acyclic) {
      CHECK(graph.order() == expected);
    }
    CHECK(graph.cycle().empty() == acyclic);
    const auto cycle = graph.cycle();
    for (std::size_t i = 1; i < cycle.size(); ++i) {
      const int from = std::stoi(cycle[i - 1].substr(1));
      const int to = std::stoi(cycle[i].substr(1));
      CHECK(edges.contains({from, to}));
    }
    CHECK((cycle.empty() || cycle.front() == cycle.back()));
    for (int node = 0; node < size; ++node) {
      CHECK(graph.reachable(node) == naive_reachable(node, edges));
    }
  }
}

}  // namespace epwise::graph
