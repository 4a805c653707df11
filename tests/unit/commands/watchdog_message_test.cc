// What the lines of NCCL's watchdogs say about the ranks of a group.

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "commands/explain/job_messages.h"

namespace epwise::audit {

namespace {

std::string line(int rank, int work) {
  return "[rank" + std::to_string(rank) +
         "]:[E ProcessGroupNCCL.cpp:1785] [PG ID 12 PG GUID 37(EXPERT_MODEL_PARALLEL_GROUP) Rank " +
         std::to_string(rank % 4) +
         "] Exception (either an error or timeout) detected by watchdog at work: " +
         std::to_string(work) + ", last enqueued NCCL work: " + std::to_string(work) +
         ", last completed NCCL work: " + std::to_string(work - 1) + ".\n";
}

using Facts = std::vector<std::string>;

}  // namespace

TEST_CASE("the rank whose work is older than that of the others is behind") {
  CHECK(watchdog_facts(line(8, 12) + line(9, 10) + line(10, 12) + line(11, 12)) ==
        Facts{"EXPERT_MODEL_PARALLEL_GROUP: rank 9 is behind, at work 10; others are at 12. Look "
              "there first"});
  CHECK(watchdog_facts(line(8, 12) + line(9, 12)).empty());
  CHECK(watchdog_facts(line(8, 12)).empty());
  CHECK(watchdog_facts("iteration 3 of 10\n").empty());
}

TEST_CASE("ranks that say nothing between others that time out") {
  CHECK(watchdog_facts(line(0, 5) + line(1, 5) + line(3, 5)) ==
        Facts{"EXPERT_MODEL_PARALLEL_GROUP: rank 2 reports no time-out where its neighbours do: "
              "died, or never reached the collective"});
  CHECK(watchdog_facts(line(0, 5) + line(8, 5) + line(16, 5)).empty());
}

TEST_CASE("a time-out without the name of its group counts by its sequence number") {
  const std::string tail =
      ", OpType=ALLTOALL_BASE, NumelIn=4, NumelOut=4, Timeout(ms)=600000) ran for 600066 "
      "milliseconds before timing out.\n";
  const std::string head =
      "]:[E ProcessGroupNCCL.cpp:632] Watchdog caught collective operation "
      "timeout: WorkNCCL(SeqNum=";
  CHECK(watchdog_facts("[rank0" + head + "7" + tail + "[rank1" + head + "6" + tail) ==
        Facts{"rank 1 is behind, at work 6; others are at 7. Look there first"});
}

}  // namespace epwise::audit
