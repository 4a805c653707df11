#include "sim/stated_inputs.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace epwise::sim {
namespace {

TEST_CASE("an input is taken over, or refused with what it takes") {
  struct Case {
    std::string text;
    std::string problem;
  };

  const std::vector<Case> cases = {
      {"host=40us", ""},
      {"host=0.04 ms", ""},
      {"imbalance=1.25", ""},
      {"routing=natural", ""},
      {"cpu=grace", ""},
      {"nic_rate=400Gbit/s", ""},
      {"nvlink_domain=72", ""},
      {"attention_path=unfused", ""},
      {"fp8_attention=on", ""},
      {"fused_experts=off", ""},
      {"tensor_overlap=on", ""},
      {"optimizer_states=8B", ""},
      {"optimizer_states=8", "optimizer_states takes a size: 12B, not `8`"},
      {"host", "an input is written NAME=VALUE, not `host`"},
      {"hosts=40us", "predictions have no input `hosts`, did you mean `host`?"},
      {"cpu=arm", "cpu takes x86 or grace, not `arm`"},
      {"host=40", "host takes a time: 40us, not `40`"},
      {"host=-1us", "host takes a time: 40us, not `-1us`"},
      {"imbalance=0.5", "imbalance takes a number from 1: 1.2, not `0.5`"},
      {"imbalance=", "imbalance takes a number from 1: 1.2, not ``"},
      {"nic_rate=400 GB", "nic_rate takes a rate: 400Gbit/s, not `400 GB`"},
      {"nvlink_domain=7.5", "nvlink_domain takes a number of GPUs: 72, not `7.5`"}};
  for (const Case& each : cases) {
    CAPTURE(each.text);
    model::Workload job;
    StatedInputs stated;
    CHECK(state(each.text, job, stated) == each.problem);
    CHECK(job.inputs.size() == (each.problem.empty() ? 1 : 0));
  }
}

TEST_CASE("what is stated replaces the assumption") {
  model::Workload job;
  job.inputs.push_back({"cpu", "x86", model::InputStatus::assumed, "nobody says"});
  StatedInputs stated;
  CHECK(state("cpu=grace", job, stated).empty());
  CHECK(state("host=40us", job, stated).empty());
  CHECK(job.machine.cpu == model::Cpu::grace);
  CHECK(stated.host_operation == doctest::Approx(40e-6));
  REQUIRE(job.inputs.size() == 2);
  CHECK(job.inputs[0].value == "grace");
  CHECK(job.inputs[0].status == model::InputStatus::written);
  CHECK(job.inputs[0].why.empty());
  CHECK(input_kinds().size() == 11);
  CHECK(state("optimizer_states=10 B", job, stated).empty());
  CHECK(job.optimizer.main_weight == 4);
  CHECK(job.optimizer.moments == 6);
  CHECK(state("cpu=x86", job, stated, {model::InputStatus::profile, "somebody measured"}).empty());
  CHECK(job.inputs[0].status == model::InputStatus::profile);
  CHECK(job.inputs[0].why == "somebody measured");
}

}  // namespace
}  // namespace epwise::sim
