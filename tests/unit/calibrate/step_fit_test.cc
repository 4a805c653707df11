#include "calibrate/fits/step_fit.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "hw/profile.h"
#include "perf/sim/prediction/prediction.h"
#include "perf/sim/step/step.h"
#include "support/lowered_step.h"
#include "support/workloads.h"

namespace epwise::calibrate {
namespace {

const std::string kRecipe =
    test::small_recipe("  expert_model_parallel_size: 16\n  moe_token_dispatcher_type: alltoall\n");

/// Recipes whose steps are true for a made-up machine.
class Cluster {
 public:
  void ran(const std::string& recipe, double host, double level) {
    auto reading = test::workload_of(recipe, "h100", 16, recipe::Framework::bridge, {});
    REQUIRE(reading.problems.empty());
    jobs_.push_back(std::make_shared<workload::Workload>(std::move(reading.workload)));
    MeasuredStep step;
    step.name = "run";
    step.job = jobs_.back().get();
    step.machine = test::machine_for("h100", *step.job);
    sim::Constants truth = sim::constants().values;
    truth.host_x86 *= host;
    step.seconds =
        level * sim::evaluate(sim::lower(*step.job, step.machine, truth), truth, {}).step;
    steps_.push_back(step);
  }

  StepFit fit() const { return fit_step_constants(steps_, sim::constants()); }

  std::vector<MeasuredStep>& steps() { return steps_; }

 private:
  std::vector<std::shared_ptr<workload::Workload>> jobs_;
  std::vector<MeasuredStep> steps_;
};

std::string with(std::string recipe, const std::string& from, const std::string& to) {
  recipe.replace(recipe.find(from), from.size(), to);
  return recipe;
}

}  // namespace

TEST_CASE("one recipe moves runs like itself and no constant") {
  Cluster cluster;
  cluster.ran(kRecipe, 1, 1.2);
  const StepFit fit = cluster.fit();
  CHECK(fit.refusal.empty());
  CHECK(fit.constants.empty());
  REQUIRE(fit.runs.size() == 1);
  CHECK(fit.runs[0].learnt.log_residual == doctest::Approx(std::log(1.2)).epsilon(1e-6));
  CHECK(fit.steps[0].after / fit.steps[0].measured == doctest::Approx(1).epsilon(0.02));
}

TEST_CASE("recipes that depend differently on the host tell its time") {
  Cluster cluster;
  for (const char* sequence : {"1024", "2048", "4096", "8192"}) {
    cluster.ran(with(kRecipe, "seq_length: 4096", std::string("seq_length: ") + sequence), 1.7, 1);
  }
  const StepFit fit = cluster.fit();
  CHECK(fit.refusal.empty());
  const auto host = std::find_if(fit.causes.begin(),
                                 fit.causes.end(),
                                 [](const LearntCause& cause) { return cause.name == "host"; });
  REQUIRE(host != fit.causes.end());
  CHECK(host->told);
  CHECK(host->factor > 1.3);
  CHECK(host->log_sd < host->prior_sd);
}

TEST_CASE("impossible and contradicting steps are refused") {
  Cluster wrong;
  wrong.ran(kRecipe, 1, 1000);
  CHECK(wrong.fit().refusal.find("check the unit") != std::string::npos);
  Cluster contrary;
  contrary.ran(kRecipe, 1, 0.8);
  contrary.ran(kRecipe, 1, 1.4);
  CHECK(contrary.fit().refusal.find("contradict") != std::string::npos);
  CHECK(contrary.fit().runs.empty());
}

}  // namespace epwise::calibrate
