// What the flight recorders of a job's ranks show together.

#include "commands/explain/flight_record.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace epwise::audit {

namespace {

struct Entry {
  std::string group;  // its name is the number in front: "1 EXPERT_MODEL_PARALLEL_GROUP"
  int number = 0;
  std::string operation;
  std::string state;
};

FlightDump dump(int rank, const std::vector<Entry>& entries) {
  std::string text;
  int time = 0;
  for (const Entry& entry : entries) {
    text += fmt::format(
        R"({}{{"process_group": ["{}", "{}"], "collective_seq_id": {}, "profiling_name": "nccl:{}",)"
        R"( "state": "{}", "time_created_ns": {}, "is_p2p": false, "retired": {}, "input_sizes": [[8]],)"
        R"( "frames": [{{"name": "all_to_all_single", "filename": "/torch/distributed/c10d.py", "line": 1}},)"
        R"( {{"name": "dispatch", "filename": "/opt/megatron/core/token_dispatcher.py", "line": 610}}]}})",
        text.empty() ? "" : ", ",
        entry.group.substr(0, 1),
        entry.group.substr(2),
        entry.number,
        entry.operation,
        entry.state,
        ++time,
        entry.state == "completed");
  }
  const std::string groups =
      R"({"1": {"desc": "EXPERT_MODEL_PARALLEL_GROUP", "ranks": "[0, 1, 2]"},)"
      R"( "2": {"desc": "PIPELINE_MODEL_PARALLEL_GROUP", "ranks": "[2, 3]"}})";
  return {
      fmt::format("nccl_trace_rank_{}", rank),
      report::Json::parse(fmt::format(R"({{"entries": [{}], "pg_config": {}}})", text, groups))};
}

const std::string kExperts = "1 EXPERT_MODEL_PARALLEL_GROUP";
const std::string kPipeline = "2 PIPELINE_MODEL_PARALLEL_GROUP";

}  // namespace

TEST_CASE("the rank that has not issued what the others wait in") {
  const FlightStory story = read_flight({dump(0, {{kExperts, 7, "all_to_all", "started"}}),
                                         dump(1, {{kExperts, 7, "all_to_all", "scheduled"}}),
                                         dump(2, {{kExperts, 6, "all_to_all", "completed"}})});
  CHECK(story.crash.message ==
        "collective operation timeout: (EXPERT_MODEL_PARALLEL_GROUP) OpType=ALLTOALL, number 7, in "
        "the flight recorder of 3 ranks");
  REQUIRE(story.facts.size() == 2);
  CHECK(story.facts[0] ==
        "EXPERT_MODEL_PARALLEL_GROUP: ranks 0, 1 wait in all_to_all number 7 of dispatch "
        "(token_dispatcher.py:610); rank 2 has not issued it");
  CHECK(story.facts[1].starts_with(
      "rank 2 waits in no collective; its last was all_to_all in EXPERT_MODEL_PARALLEL_GROUP"));
}

TEST_CASE("a rank that waits elsewhere is not the cause, the one that it waits for is") {
  const FlightStory story = read_flight(
      {dump(0, {{kExperts, 7, "all_to_all", "started"}}),
       dump(1, {{kExperts, 7, "all_to_all", "started"}}),
       dump(2, {{kExperts, 6, "all_to_all", "completed"}, {kPipeline, 3, "all_reduce", "started"}}),
       dump(3, {{kPipeline, 2, "all_reduce", "completed"}})});
  CHECK(story.crash.message.find("(PIPELINE_MODEL_PARALLEL_GROUP) OpType=ALLREDUCE") !=
        std::string::npos);
  REQUIRE(story.facts.size() == 3);
  CHECK(story.facts[1].starts_with("rank 3 waits in no collective"));
  CHECK(story.facts[2].starts_with("EXPERT_MODEL_PARALLEL_GROUP"));
}

TEST_CASE("ranks without a dump, other operations, and a stuck exchange") {
  const FlightStory unheard = read_flight({dump(0, {{kExperts, 7, "all_to_all", "started"}}),
                                           dump(1, {{kExperts, 7, "all_to_all", "started"}})});
  REQUIRE(unheard.facts.size() == 1);
  CHECK(unheard.facts[0].ends_with("no dump of rank 2"));
  const FlightStory differs = read_flight({dump(0, {{kExperts, 7, "all_to_all", "started"}}),
                                           dump(1, {{kExperts, 7, "_all_gather_base", "started"}}),
                                           dump(2, {{kExperts, 7, "all_to_all", "started"}})});
  CHECK(differs.facts[0].ends_with("the ranks entered it with different operations"));
  const FlightStory stuck = read_flight({dump(2, {{kPipeline, 1, "_all_gather_base", "started"}}),
                                         dump(3, {{kPipeline, 1, "_all_gather_base", "started"}})});
  CHECK(stuck.facts[0].find("every rank has issued it") != std::string::npos);
  CHECK(stuck.crash.message.find("OpType=_ALLGATHER_BASE") != std::string::npos);
}

TEST_CASE("recorders without an open work have no story") {
  CHECK(read_flight({dump(0, {{kExperts, 7, "all_to_all", "completed"}})}).crash.message.empty());
  CHECK(read_flight({}).crash.message.empty());
}

}  // namespace epwise::audit
