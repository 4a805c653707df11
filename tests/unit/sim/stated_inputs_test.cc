#include "perf/sim/constants/stated_inputs.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace epwise::sim {
namespace {

TEST_CASE("an input is taken over, or refused with what it takes") {
  struct StatedCase {
    std::string text;
    std::string problem;
  };

  const std::vector<StatedCase> cases = {
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
      {"gradients=2B", ""},
      {"gradients=8B", "gradients must be a size up to 4B, not `8B`"},
      {"pipeline_layout=Et|tL",
       "pipeline_layout must be a layout of all layers: Et*12|t*12L, not `Et|tL`"},
      {"optimizer_states=8", "optimizer_states must be a size: 12B, not `8`"},
      {"host", "an input has the form NAME=VALUE, not `host`"},
      {"hosts=40us", "unknown input `hosts`, did you mean `host`?"},
      {"cpu=arm", "cpu must be x86 or grace, not `arm`"},
      {"host=40", "host must be a time: 40us, not `40`"},
      {"host=-1us", "host must be a time: 40us, not `-1us`"},
      {"imbalance=0.5", "imbalance must be a number of at least 1: 1.2, not `0.5`"},
      {"imbalance=", "imbalance must be a number of at least 1: 1.2, not ``"},
      {"nic_rate=400 GB", "nic_rate must be a rate: 400Gbit/s, not `400 GB`"},
      {"nvlink_domain=7.5", "nvlink_domain must be a number of GPUs: 72, not `7.5`"}};
  for (const StatedCase& each : cases) {
    CAPTURE(each.text);
    workload::Workload job;
    StatedInputs stated;
    CHECK(state(each.text, job, stated) == each.problem);
    CHECK(job.inputs.size() == (each.problem.empty() ? 1 : 0));
  }
}

TEST_CASE("a stated layout divides the layers, and nothing else does") {
  workload::Workload job;
  job.architecture.layers.resize(6);
  job.parallel.pipeline = 2;
  StatedInputs stated;
  CHECK(state("pipeline_layout=Et|tt|t|t*2L", job, stated).empty());
  REQUIRE(job.parallel.chunks.size() == 4);
  CHECK(job.parallel.virtual_stages == 2);
  CHECK(job.parallel.chunks[3].layers == 2);
  CHECK(job.parallel.chunks[3].loss);
  CHECK_FALSE(state("pipeline_layout=Et|tt|t|tL", job, stated).empty());
  CHECK(job.parallel.chunks.size() == 4);
}

TEST_CASE("what the constants stand in for is listed until somebody states it") {
  workload::Workload job;
  job.architecture.experts.count = 8;
  StatedInputs stated;
  note_assumptions(constants().values, stated, job);
  REQUIRE(job.inputs.size() == 2);
  CHECK(job.inputs[0].key == "host");
  CHECK(job.inputs[0].status == workload::InputStatus::assumed);
  CHECK(job.inputs[0].value.find("us per operation") != std::string::npos);
  CHECK(job.inputs[1].key == "imbalance");
  workload::Workload known;
  known.architecture.experts.count = 8;
  CHECK(state("host=40us", known, stated, {workload::InputStatus::profile, "a bench"}).empty());
  CHECK(state("routing=forced", known, stated).empty());
  note_assumptions(constants().values, stated, known);
  REQUIRE(known.inputs.size() == 2);
  CHECK(known.inputs[0].status == workload::InputStatus::profile);
  CHECK(known.inputs[0].why == "a bench");
}

TEST_CASE("another assumption is no knowledge") {
  workload::Workload job;
  StatedInputs stated;
  CHECK(state("host=40us", job, stated, {workload::InputStatus::written, "--input"}).empty());
  CHECK(stated.host_measured);
  CHECK(
      state("host=assumed 50us", job, stated, {workload::InputStatus::written, "a file"}).empty());
  CHECK(stated.host_operation == doctest::Approx(50e-6));
  CHECK_FALSE(stated.host_measured);
  REQUIRE(job.inputs.size() == 1);
  CHECK(job.inputs[0].status == workload::InputStatus::assumed);
  CHECK(job.inputs[0].value == "50us");
  CHECK(job.inputs[0].why == "a file");
}

TEST_CASE("what is stated replaces the assumption") {
  workload::Workload job;
  job.inputs.push_back({"cpu", "x86", workload::InputStatus::assumed, "not given"});
  StatedInputs stated;
  CHECK(state("cpu=grace", job, stated).empty());
  CHECK(state("host=40us", job, stated).empty());
  CHECK(job.machine.cpu == workload::Cpu::grace);
  CHECK(stated.host_operation == doctest::Approx(40e-6));
  REQUIRE(job.inputs.size() == 2);
  CHECK(job.inputs[0].value == "grace");
  CHECK(job.inputs[0].status == workload::InputStatus::written);
  CHECK(job.inputs[0].why.empty());
  CHECK(input_kinds().size() == 15);
  CHECK(state("optimizer_states=10 B", job, stated).empty());
  CHECK(job.optimizer.main_weight == 4);
  CHECK(job.optimizer.moments == 6);
  CHECK(
      state("cpu=x86", job, stated, {workload::InputStatus::profile, "somebody measured"}).empty());
  CHECK(job.inputs[0].status == workload::InputStatus::profile);
  CHECK(job.inputs[0].why == "somebody measured");
  job.architecture.vision.merge = 2;
  job.architecture.sequence = 4096;
  CHECK(state("image_tokens=4x256", job, stated).empty());
  CHECK(job.architecture.vision.images == 4);
  CHECK(job.architecture.vision.patches == 1024);
  CHECK_FALSE(state("image_tokens=4097", job, stated).empty());
  CHECK_FALSE(state("image_tokens=2x", job, stated).empty());
  CHECK(state("image_tokens=1024", job, stated).empty());
  CHECK(job.architecture.vision.images * job.architecture.vision.patches == 4096);
  CHECK(state("image_tokens=0", job, stated).empty());
  CHECK(job.architecture.vision.images == 0);
  CHECK_FALSE(state("image_tokens=-1", job, stated).empty());
}

}  // namespace
}  // namespace epwise::sim
