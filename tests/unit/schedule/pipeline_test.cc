#include "perf/schedule/pipeline.h"

#include <string>

#include <doctest/doctest.h>

namespace epwise::schedule {

TEST_CASE("what Megatron would not run is named") {
  struct Row {
    Pipeline pipeline;
    std::string says;
  };

  const Row rows[] = {
      {{.stages = 1}, ""},
      {{.stages = 4, .micro_batches = 2}, ""},
      {{.stages = 4, .chunks = 2, .micro_batches = 8}, ""},
      {{.stages = 4, .chunks = 2, .micro_batches = 9, .group = 5}, ""},
      {{.stages = 4, .chunks = 2, .micro_batches = 6},
       "the last group of micro-batches has 2, fewer than the 4 pipeline stages"},
      {{.stages = 4, .chunks = 2, .micro_batches = 8, .group = 3},
       "a group of 3 micro-batches is not between the 4 stages and the 8 micro-batches of a step"},
      {{.stages = 4, .chunks = 2, .micro_batches = 3},
       "a group of 4 micro-batches is not between the 4 stages and the 3 micro-batches of a step"},
      {{.stages = 1, .chunks = 2, .micro_batches = 3},
       "chunks of a stage interleave only in a pipeline of two stages or more"},
      {{.stages = 2, .micro_batches = 4, .ep_overlap = true},
       "combined 1F1B in a pipeline needs two chunks of a stage or more"},
      {{.stages = 0}, "stages, chunks and micro-batches are counted from 1"},
  };
  for (const Row& row : rows) {
    CHECK(defect(row.pipeline) == row.says);
  }
}

}  // namespace epwise::schedule
