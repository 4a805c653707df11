#include "perf/sim/prediction/likeness.h"

#include <cmath>

#include <doctest/doctest.h>

namespace epwise::sim {
namespace {

Traits run(const std::string& model, const std::string& precision, const std::string& layout) {
  return {model, precision, "hybridep", "partial", false, layout};
}

const Traits kMine = run("a", "mxfp8", "64 GPUs");

}  // namespace

TEST_CASE("the more two runs have in common, the more one says about the other") {
  Traits graphs = kMine;
  graphs.graphs = "none";
  graphs.layout = "8 GPUs";
  Traits precision = graphs;
  precision.precision = "bf16";
  CHECK(likeness(kMine, kMine) == 1);
  CHECK(likeness(kMine, run("a", "mxfp8", "8 GPUs")) > likeness(kMine, graphs));
  CHECK(likeness(kMine, graphs) > likeness(kMine, precision));
  CHECK(likeness(kMine, precision) > likeness(kMine, run("b", "mxfp8", "64 GPUs")));
  CHECK(likeness(kMine, run("b", "mxfp8", "64 GPUs")) > 0);
}

TEST_CASE("a measured recipe has nearly its measured level, a similar one part of it") {
  const double error = std::log(1.2);
  const Level same = level_of({{kMine, error}}, kMine);
  const Level alike = level_of({{kMine, error}}, run("a", "mxfp8", "8 GPUs"));
  const Level other = level_of({{kMine, error}}, run("b", "mxfp8", "64 GPUs"));
  CHECK(same.log_factor > 0.9 * error);
  CHECK(alike.log_factor > 0.3 * error);
  CHECK(alike.log_factor < 0.75 * error);
  CHECK(std::abs(other.log_factor) < 0.06 * error);
  CHECK(same.known > alike.known);
  CHECK(alike.known > other.known);
}

TEST_CASE("a small error is mostly the run's own, unless several runs say the same") {
  const double error = 0.03;
  const Traits asked = run("a", "mxfp8", "8 GPUs");
  const Level one = level_of({{kMine, error}}, asked);
  CHECK(one.log_factor < 0.2 * error);
  std::vector<LearntRun> many;
  for (const char* layout : {"16 GPUs", "32 GPUs", "64 GPUs", "128 GPUs", "256 GPUs", "512 GPUs"}) {
    many.push_back({run("a", "mxfp8", layout), error});
  }
  CHECK(level_of(many, asked).log_factor > 2 * one.log_factor);
}

TEST_CASE("nothing is learnt from nothing") {
  const Level none = level_of({}, kMine);
  CHECK(none.log_factor == 0);
  CHECK(none.known == 0);
}

}  // namespace epwise::sim
