#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>

#include <doctest/doctest.h>

#include "perf/schedule/pipeline.h"
#include "perf/schedule/schedules.h"
#include "support/sampling.h"
#include "support/schedule_draw.h"

namespace epwise::schedule {

TEST_CASE("orders of small pipelines, by hand") {
  struct Row {
    Pipeline pipeline;
    int stage = 0;
    std::string_view name;
    std::string order;
  };

  const Row rows[] = {
      {{.micro_batches = 2}, 0, "no pipeline", "F0 B0 F1 B1"},
      {{.micro_batches = 3, .ep_overlap = true}, 0, "combined 1F1B", "F0 F1+B0 F2+B1 B2"},
      {{.micro_batches = 1, .ep_overlap = true}, 0, "combined 1F1B", "F0 B0"},
      {{.stages = 2, .micro_batches = 3}, 0, "1F1B", "F0 F1 B0 F2 B1 B2"},
      {{.stages = 2, .micro_batches = 3}, 1, "1F1B", "F0 B0 F1 B1 F2 B2"},
      {{.stages = 4, .micro_batches = 2}, 0, "1F1B", "F0 F1 B0 B1"},
      {{.stages = 2, .chunks = 2, .micro_batches = 2},
       1,
       "interleaved 1F1B",
       "F0.0 F1.0 F0.1 B0.1 F1.1 B1.1 B0.0 B1.0"},
      {{.stages = 2, .chunks = 2, .micro_batches = 2},
       0,
       "interleaved 1F1B",
       "F0.0 F1.0 F0.1 F1.1 B0.1 B1.1 B0.0 B1.0"},
      // Groups of three and a rest of two, as in the comment above get_schedule_table.
      {{.stages = 2, .chunks = 2, .micro_batches = 5, .group = 3},
       1,
       "interleaved 1F1B",
       "F0.0 F1.0 F2.0 F0.1 B0.1 F1.1 B1.1 F2.1 B2.1 F3.0 B0.0 F4.0 B1.0 F3.1 B2.0 F4.1 B3.1 "
       "B4.1 B3.0 B4.0"},
      {{.stages = 2, .chunks = 2, .micro_batches = 2, .ep_overlap = true},
       1,
       "combined 1F1B",
       "F0.0 F1.0 F0.1 F1.1+B0.1 B1.1 B0.0 B1.0"},
  };
  for (const Row& row : rows) {
    CHECK(schedule_of(row.pipeline).name == row.name);
    CHECK(to_text(order(row.pipeline, row.stage), row.pipeline.chunks > 1) == row.order);
  }
}

TEST_CASE("a pipeline with a defect has no order") {
  CHECK_THROWS_AS(order({.stages = 4, .chunks = 2, .micro_batches = 6}, 0), std::logic_error);
}

TEST_CASE("every piece runs once, forwards before their backwards; one schedule fits") {
  test::Draw draw(1);
  for (int round = 0; round < 2000 / test::sanitized_share(10); ++round) {
    const Pipeline pipeline = draw.pipeline(8, 40);
    const auto fitting = std::ranges::count_if(
        all_schedules(), [&](const Schedule& schedule) { return schedule.fits(pipeline); });
    CHECK(fitting == 1);
    const int stage = draw.whole(0, pipeline.stages - 1);
    std::set<std::tuple<int, int>> forwards;
    std::set<std::tuple<int, int>> backwards;
    bool after_backward = false;
    int warmup = 0;
    for (const Slot& slot : order(pipeline, stage)) {
      CHECK((slot.forward.present() || slot.backward.present()));
      if (slot.backward.present()) {
        // In a paired slot too the forward of the backward's piece lies in an earlier slot.
        CHECK(forwards.contains({slot.backward.micro_batch, slot.backward.chunk}));
        CHECK(backwards.insert({slot.backward.micro_batch, slot.backward.chunk}).second);
        after_backward = true;
      }
      if (slot.forward.present()) {
        CHECK(forwards.insert({slot.forward.micro_batch, slot.forward.chunk}).second);
        warmup += after_backward ? 0 : 1;
      }
      CHECK((pipeline.ep_overlap || !slot.paired()));
    }
    CHECK(forwards.size() == static_cast<std::size_t>(pipeline.pieces()));
    CHECK(backwards == forwards);
    const int alone = schedule_of(pipeline).warmup(pipeline, stage);
    // Unpaired, the first backward is behind one more forward; there may be none.
    const bool one_more = !pipeline.ep_overlap && alone < pipeline.pieces();
    CHECK(warmup == alone + (one_more ? 1 : 0));
  }
}

TEST_CASE("pieces by their place in the groups, worked out by division") {
  test::Draw draw(2);
  for (int round = 0; round < 300; ++round) {
    const Pipeline pipeline = draw.pipeline(6, 30);
    const auto forwards = forward_pieces(pipeline);
    const auto backwards = backward_pieces(pipeline);
    const int group = pipeline.group_size();
    for (int i = 0; i < pipeline.pieces(); ++i) {
      const int round_of = i / (group * pipeline.chunks);
      const int in_round = i % (group * pipeline.chunks);
      const int width = std::min(group, pipeline.micro_batches - round_of * group);
      const Piece expected{round_of * group + in_round % width, in_round / width};
      const auto at = static_cast<std::size_t>(i);
      CHECK(forwards[at] == expected);
      CHECK(backwards[at] == Piece{expected.micro_batch, pipeline.chunks - 1 - expected.chunk});
    }
  }
}

}  // namespace epwise::schedule
