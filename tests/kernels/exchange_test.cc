// Dispatch and combine of the three structures, on emulated GPUs: many orders of threads, sizes
// that divide nothing, tokens without a rank, all tokens to one rank, a dead rank.

#include <doctest/doctest.h>

#include "exchange_world.h"
#include "support/sampling.h"

namespace epwise::kernel_tests {

namespace {

const std::vector<std::string> kStructures = {"direct", "pipelined", "staged"};

/// The first problem of a few exchanges over the same buffers.
std::string exchange_problem(const std::string& structure,
                             const ExchangeShape& shape,
                             std::uint64_t order,
                             int skewed = -1) {
  emulator::Device device(order, 8);
  ExchangeWorld world(device, shape);
  if (skewed == 0 || skewed == 1) {
    world.skew(0, skewed == 1);
  }
  for (int turn = 0; turn < 2; ++turn) {
    world.run("epwise_dispatch_" + structure);
    const std::string problem = structure == "staged"
                                    ? world.staged_problem()
                                    : world.dispatch_problem(structure == "direct");
    if (!problem.empty()) {
      return structure + " dispatch: " + problem;
    }
  }
  return world.overrun_problem();
}

std::string combine_problem(const std::string& structure,
                            const ExchangeShape& shape,
                            std::uint64_t order,
                            int skewed = -1) {
  emulator::Device device(order, 8);
  ExchangeWorld world(device, shape);
  if (skewed == 0 || skewed == 1) {
    world.skew(0, skewed == 1);
  }
  for (int turn = 0; turn < 2; ++turn) {
    world.run("epwise_combine_" + structure);
    if (structure == "direct") {
      world.run("epwise_reduce_epilogue");
    }
    const std::string problem = world.combine_problem(structure + " combine");
    if (!problem.empty()) {
      return problem;
    }
  }
  return world.overrun_problem();
}

}  // namespace

TEST_CASE("every row arrives once at every rank that it goes to") {
  for (const std::string& structure : kStructures) {
    for (std::uint64_t order = 1; order <= 2; ++order) {
      for (const bool loopback : {false, true}) {
        ExchangeShape shape;
        shape.loopback = loopback;
        shape.seed = order;
        CHECK(exchange_problem(structure, shape, order) == "");
      }
    }
  }
}

TEST_CASE("rows are summed at home exactly") {
  for (const std::string& structure : kStructures) {
    for (std::uint64_t order = 1; order <= 2; ++order) {
      for (const bool loopback : {false, true}) {
        ExchangeShape shape;
        shape.loopback = loopback;
        shape.seed = order;
        CHECK(combine_problem(structure, shape, order) == "");
      }
    }
  }
}

TEST_CASE("sizes that divide nothing, empty ranks, one rank for all") {
  struct Case {
    const char* what;
    ExchangeShape shape;
    int skewed;  // 0: all tokens of GPU 0 to the first experts; 1: none at all; -1: as drawn
  };

  ExchangeShape shape;
  shape.ranks = 3;
  shape.tokens = 71;
  shape.topk = 4;
  shape.experts = 12;
  shape.hidden = 200;
  ExchangeShape many = shape;
  many.ranks = 8;
  many.experts = 16;
  many.blocks = 4;
  many.tokens = 67;
  many.loopback = true;
  ExchangeShape one = shape;
  one.ranks = 1;
  one.tokens = 1;
  one.topk = 1;
  one.blocks = 2;
  ExchangeShape wide = shape;
  wide.blocks = 6;
  wide.loopback = true;
  wide.tokens = 5;  // fewer tokens than channels and warps
  ExchangeShape tight = shape;
  tight.ring_slots = 32;
  tight.ring_chunk = 8;
  tight.tokens = 130;
  const std::vector<Case> cases = {{"three ranks", shape, -1},
                                   {"eight ranks", many, -1},
                                   {"one token", one, -1},
                                   {"few tokens", wide, -1},
                                   {"full rings", tight, -1},
                                   {"hot rank", shape, 0},
                                   {"empty rank", shape, 1}};
  for (std::size_t at = 0; at < cases.size(); at += static_cast<std::size_t>(test::share(3))) {
    const Case& one_case = cases[at];
    CAPTURE(one_case.what);
    for (const std::string& structure : kStructures) {
      CHECK(exchange_problem(structure, one_case.shape, 11, one_case.skewed) == "");
      CHECK(combine_problem(structure, one_case.shape, 12, one_case.skewed) == "");
    }
  }
}

TEST_CASE("more ranks than lanes, where the structure allows it") {
  ExchangeShape shape;
  shape.ranks = 40;
  shape.experts = 80;
  shape.topk = 6;
  shape.tokens = 33;
  shape.loopback = true;
  for (const std::string structure : {"direct", "pipelined"}) {
    CHECK(exchange_problem(structure, shape, 5) == "");
    CHECK(combine_problem(structure, shape, 6) == "");
  }
}

TEST_CASE("a dead rank ends the exchange of the others within the time-out") {
  for (const std::string& structure : kStructures) {
    for (const std::string kind : {"dispatch", "combine"}) {
      CAPTURE(structure);
      CAPTURE(kind);
      emulator::Device device(3, 8);
      ExchangeShape shape;
      shape.timeout = 2'000'000;
      ExchangeWorld world(device, shape);
      world.run("epwise_" + kind + "_" + structure, 2);
      CHECK(world.trouble(0) != abi::kNoTrouble);
      CHECK(world.trouble(1) != abi::kNoTrouble);
      CHECK(world.overrun_problem() == "");
    }
  }
}

TEST_CASE("pacing slows an exchange down to its rate") {
  for (const std::string& structure : kStructures) {
    emulator::Device device(7, 8);
    ExchangeShape shape;
    shape.loopback = true;
    shape.tokens = 64;
    shape.pace = 1U << 30U;  // 1024 ns a byte
    ExchangeWorld world(device, shape);
    const std::uint64_t start = device.now();
    world.run("epwise_dispatch_" + structure);
    const double payload = static_cast<double>(world.payload(0));
    // Senders don't share their allowance: the busiest of them ends last.
    CHECK(static_cast<double>(device.now() - start) > payload * 1024);
    CHECK(static_cast<double>(device.now() - start) < payload * 1024 * 3);
  }
}

}  // namespace epwise::kernel_tests
