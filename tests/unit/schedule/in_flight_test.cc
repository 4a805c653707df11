#include "schedule/in_flight.h"

#include <vector>

#include <doctest/doctest.h>

#include "support/sampling.h"
#include "support/schedule_draw.h"

namespace epwise::schedule {

TEST_CASE("chunks in flight: the formula is the replay's peak") {
  test::Draw draw(10);
  for (int round = 0; round < 2000 / test::sanitized_share(10); ++round) {
    const Pipeline pipeline = draw.pipeline(8, 40);
    for (int stage = 0; stage < pipeline.stages; ++stage) {
      CHECK(peak_chunks_in_flight(pipeline, stage) == chunks_in_flight(pipeline, stage));
    }
  }
}

TEST_CASE("chunks in flight of known pipelines") {
  struct Row {
    Pipeline pipeline;
    int stage = 0;
    int chunks = 0;
  };

  const Row rows[] = {
      {{.micro_batches = 8}, 0, 1},
      {{.micro_batches = 8, .ep_overlap = true}, 0, 2},
      {{.stages = 4, .micro_batches = 8}, 0, 4},
      {{.stages = 4, .micro_batches = 8}, 3, 1},
      {{.stages = 4, .micro_batches = 2}, 0, 2},
      // 2 (P − 1) + (V − 1) G + 1, and one more when combined.
      {{.stages = 4, .chunks = 3, .micro_batches = 16}, 0, 15},
      {{.stages = 4, .chunks = 3, .micro_batches = 16, .ep_overlap = true}, 0, 16},
      {{.stages = 4, .chunks = 3, .micro_batches = 16, .group = 8}, 3, 17},
  };
  for (const Row& row : rows) {
    CHECK(chunks_in_flight(row.pipeline, row.stage) == row.chunks);
  }
}

TEST_CASE("activations: layers of the forward grow while the backward's go") {
  const std::vector<ChunkActivations> one = {{32, 32}};
  CHECK(peak_activations({.micro_batches = 4, .ep_overlap = true}, 0, one) == doctest::Approx(33));
  CHECK(peak_activations({.micro_batches = 4}, 0, one) == doctest::Approx(32));
  CHECK(peak_activations({.stages = 4, .micro_batches = 8}, 1, one) == doctest::Approx(96));
  const std::vector<ChunkActivations> unequal = {{1, 1}, {3, 3}};
  // Stage 1 of F0.0 F1.0 F0.1 B0.1 F1.1 B1.1 B0.0 B1.0: two of the first chunk, one of the second.
  CHECK(peak_activations({.stages = 2, .chunks = 2, .micro_batches = 2}, 1, unequal) ==
        doctest::Approx(5));
  // F1.1 grows while B0.1 shrinks: one layer more.
  CHECK(peak_activations({.stages = 2, .chunks = 2, .micro_batches = 2, .ep_overlap = true},
                         1,
                         unequal) == doctest::Approx(6));
}

TEST_CASE("activations of equal chunks of one layer are the chunks in flight") {
  test::Draw draw(11);
  for (int round = 0; round < 300; ++round) {
    const Pipeline pipeline = draw.pipeline();
    const std::vector<ChunkActivations> chunks(static_cast<std::size_t>(pipeline.chunks));
    CHECK(peak_activations(pipeline, 0, chunks) ==
          doctest::Approx(peak_chunks_in_flight(pipeline, 0)));
  }
}

}  // namespace epwise::schedule
