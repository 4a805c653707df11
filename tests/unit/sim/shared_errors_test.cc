#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "perf/sim/prediction/comparison.h"
#include "perf/sim/prediction/prediction.h"
#include "perf/sim/prediction/uncertainty.h"
#include "perf/sim/step/step.h"
#include "support/lowered_step.h"

namespace epwise::sim {
namespace {

struct Lowered : test::LoweredStep {
  explicit Lowered(const std::string& more)
      : LoweredStep(test::small_recipe("  expert_model_parallel_size: 8\n" + more), "h100", 16) {}
};

const std::string kAlltoallOnly = "  moe_token_dispatcher_type: alltoall\n";
const std::string kShared = "  moe_shared_expert_intermediate_size: 4096\n";

TEST_CASE("laws say how sure they are, by class") {
  const Lowered all(kAlltoallOnly);
  for (const Law law : {Law::dense, Law::grouped, Law::attention, Law::memory, Law::exchange}) {
    CHECK(all.work.spread[law] > 0.005);
    CHECK(all.work.spread[law] < 0.6);
  }
  CHECK(all.work.spread[Law::collective] == 0);  // no tensor parallelism
}

TEST_CASE("an interval holds what laws leave open besides their constants") {
  const Lowered all(kAlltoallOnly);
  const Constants& by = constants().values;
  StepWork unsure = all.work;
  unsure.spread.deviation.fill(0.4);
  const double width = law_width(unsure, by);
  CHECK(width > 0.05);
  CHECK(width < 1.2816 * 0.4);
  CHECK(uncertainty_of(unsure, by).laws == width);
  StepWork sure = all.work;
  sure.spread = {};
  CHECK(law_width(sure, by) == 0);
  CHECK(law_width(all.work, by) < width);
  CHECK(uncertainty_of(sure, by).half_width() < uncertainty_of(unsure, by).half_width());
}

TEST_CASE("draws are the same for all, and centred on the constants") {
  const SharedErrors errors(constants());
  double log_sd = 0;
  for (const ConstantNote& note : constants().notes) {
    log_sd = note.name == "attention" ? note.log_sd : log_sd;
  }
  LawSpread spread;
  spread.deviation.fill(0.4);
  NormalDraws draws;
  NormalDraws law_draws(7);
  SharedErrors::Draw draw;
  double sum = 0;
  double squares = 0;
  constexpr int kDraws = 2000;
  for (int i = 0; i < kDraws; ++i) {
    errors.draw(draws, law_draws, draw);
    const Constants drawn = errors.applied(draw, spread);
    CHECK(drawn.share_nic == constants().values.share_nic);  // not sampled
    const double log = std::log(drawn.attention / constants().values.attention);
    sum += log;
    squares += log * log;
    const Constants sure = errors.applied(draw, {});
    CHECK(drawn.attention / sure.attention ==
          doctest::Approx(std::exp(std::sqrt(0.4 * 0.4 - log_sd * log_sd) * draw.laws[2])));
  }
  CHECK(std::abs(sum / kDraws) < 0.03);
  CHECK(std::sqrt(squares / kDraws) == doctest::Approx(0.4).epsilon(0.06));
}

TEST_CASE("a recipe beside itself is too close to call, with laws as unsure as they may be") {
  const Lowered all(kAlltoallOnly);
  StepWork unsure = all.work;
  unsure.spread.deviation.fill(0.5);
  const Comparison same = compare(unsure, unsure, constants());
  CHECK(same.verdict == Verdict::too_close);
  CHECK(same.speedup.value == 1);
  CHECK(same.speedup.high / same.speedup.low < 1.14);  // what both get wrong cancels
}

TEST_CASE("a shared expert beside the exchange hides, less what contention takes back") {
  const Lowered apart(kAlltoallOnly + kShared);
  const Lowered beside(kAlltoallOnly + kShared + "  moe_shared_expert_overlap: true\n");
  const Lowered none(kAlltoallOnly);
  CHECK(beside.step() < apart.step());
  CHECK(beside.step() > none.step());
  Effects calm;
  calm.contention = false;
  CHECK(beside.step(calm) < beside.step());
  CHECK(apart.step(calm) == apart.step());
}

TEST_CASE("weight gradients of experts beside the dispatch of the backward pass hide") {
  Lowered all(kAlltoallOnly);
  const double before = all.step();
  all.job.exchange.wgrad_beside_dispatch = true;
  CHECK(all.step() < before);
  CHECK(all.step() > 0.6 * before);
}

TEST_CASE("a prediction depth without experts has its MLP") {
  const Lowered dense(
      "  num_moe_experts: null\n  expert_model_parallel_size: 1\n  mtp_num_layers: 1\n");
  const Lowered none("  num_moe_experts: null\n  expert_model_parallel_size: 1\n");
  REQUIRE(dense.work.predicts_densely());
  const LayerPasses layers = layer_passes(
      dense.work, constants().values, prices_of(dense.work, constants().values, {}), {});
  CHECK(layers.prediction.forward > layers.dense.forward + layers.head.forward);
  CHECK(dense.step() > none.step() * (1 + 1.0 / 24));
}

TEST_CASE("tensor parallelism that is said to overlap costs less and is surer") {
  Lowered all(kAlltoallOnly + "  tensor_model_parallel_size: 2\n  sequence_parallel: true\n");
  const Constants& by = constants().values;
  const double before = all.step();
  const double width = uncertainty_of(all.work, by).half_width();
  CHECK(state("tensor_overlap=on", all.job, all.stated).empty());
  all.lower_again();
  CHECK(all.step() < before);
  CHECK(uncertainty_of(all.work, by).half_width() < width);
}

}  // namespace
}  // namespace epwise::sim
