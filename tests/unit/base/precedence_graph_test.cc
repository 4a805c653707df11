#include "base/graph/precedence_graph.h"

#include <algorithm>
#include <random>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

namespace epwise::graph {

TEST_CASE("order and longest path of a diamond") {
  const std::vector<Arc> arcs = {{3, 1}, {0, 3}, {0, 2}, {2, 1}};
  const PrecedenceGraph graph(4, arcs);
  CHECK(graph.order().front() == 0);
  CHECK(graph.order().back() == 1);
  const std::vector<double> weights = {1, 2, 4, 8};
  CHECK(graph.longest_path(weights) == doctest::Approx(11));
}

TEST_CASE("nothing, and things that nobody waits for") {
  CHECK(PrecedenceGraph(0, {}).longest_path({}) == 0);
  const std::vector<double> weights = {1, 5, 2};
  CHECK(PrecedenceGraph(3, {}).longest_path(weights) == 5);
}

TEST_CASE("a cycle is a bug of the caller") {
  const std::vector<Arc> arcs = {{0, 1}, {1, 2}, {2, 1}};
  CHECK_THROWS_AS(PrecedenceGraph(3, arcs), std::logic_error);
}

TEST_CASE("everyone stands behind what comes before it") {
  std::mt19937 random(4);
  for (int round = 0; round < 200; ++round) {
    const int nodes = 1 + static_cast<int>(random() % 40U);
    std::vector<int> names(static_cast<std::size_t>(nodes));
    for (int i = 0; i < nodes; ++i) {
      names[static_cast<std::size_t>(i)] = i;
    }
    std::shuffle(names.begin(), names.end(), random);
    std::vector<Arc> arcs;
    for (int i = 0; i < 2 * nodes; ++i) {
      const auto a = random() % static_cast<unsigned>(nodes);
      const auto b = random() % static_cast<unsigned>(nodes);
      if (a < b) {
        arcs.push_back({names[a], names[b]});
      }
    }
    const PrecedenceGraph graph(nodes, arcs);
    CHECK(graph.size() == nodes);
    const auto place = [&](int node) {
      return std::find(graph.order().begin(), graph.order().end(), node);
    };
    for (const Arc& arc : arcs) {
      CHECK(place(arc.before) < place(arc.after));
    }
  }
}

}  // namespace epwise::graph
