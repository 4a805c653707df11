// What gathers tokens instead of exchanging them: the all-gather dispatcher and sliced experts.

#include <string>

#include <doctest/doctest.h>

#include "perf/cost/collective.h"
#include "perf/sim/layer/layer_times.h"
#include "perf/sim/step/step.h"
#include "perf/sim/work/layer_work.h"
#include "support/lowered_step.h"

namespace epwise::sim {
namespace {

constexpr const char* kRecipe = R"(model:
  num_layers: 16
  hidden_size: 2048
  num_attention_heads: 32
  num_query_groups: 4
  kv_channels: 128
  num_moe_experts: 64
  moe_router_topk: 6
  moe_ffn_hidden_size: 1024
  ffn_hidden_size: 8192
  vocab_size: 100352
  gated_linear_unit: true
  seq_length: 4096
  bf16: true
  moe_router_force_load_balancing: true
  moe_token_dispatcher_type: alltoall
  tensor_model_parallel_size: 4
  sequence_parallel: true
  expert_tensor_parallel_size: 1
  expert_model_parallel_size: 4
mixed_precision: bf16_mixed
train: {global_batch_size: 256, micro_batch_size: 1}
ddp: {use_distributed_optimizer: true}
)";

/// The recipe on 32 H100s, changed.
struct Changed : test::LoweredStep {
  Changed(workload::Dispatcher dispatcher, int expert, int slices)
      : LoweredStep(kRecipe, "h100", 32) {
    job.exchange.dispatcher = dispatcher;
    job.parallel.expert = expert;
    job.parallel.expert_tensor = slices;
    lower_again();
  }

  double law(cost::CollectiveKind kind, double bytes, int ranks) const {
    cost::Collective call;
    call.kind = kind;
    call.bytes = bytes;
    call.ranks = ranks;
    return cost::collective(test::laws(), test::machine_for(hw, job).chip, call).seconds;
  }
};

constexpr double kTokens = 4096.0 / 4;  // of one rank
constexpr double kRow = 2048.0 * 2;     // bytes

TEST_CASE("the all-gather dispatcher gathers every token, map and probability") {
  const Changed all(workload::Dispatcher::allgather, 8, 1);
  CHECK(all.work.exchange == 0);
  const double gather =
      all.law(cost::CollectiveKind::all_gather, 8 * kTokens * (kRow + 64 * (1 + 4)), 8);
  const double scatter = all.law(cost::CollectiveKind::reduce_scatter, 8 * kTokens * kRow, 8);
  CHECK(all.work.gathering == doctest::Approx((gather + scatter) / 2));
  CHECK(all.work.spread[Law::collective] > 0);
}

TEST_CASE("it loses to an exchange as soon as ranks outnumber the experts per token") {
  const auto exchange = [](workload::Dispatcher dispatcher, int ranks) {
    return priced_exchange(Changed(dispatcher, ranks, 1).work, constants().values);
  };
  double before = 0;
  for (const int ranks : {2, 4, 8, 16, 32}) {
    CAPTURE(ranks);
    const double gathered = exchange(workload::Dispatcher::allgather, ranks);
    CHECK(gathered > before);
    before = gathered;
  }
  CHECK(exchange(workload::Dispatcher::allgather, 2) < exchange(workload::Dispatcher::alltoall, 2));
  CHECK(exchange(workload::Dispatcher::allgather, 8) > exchange(workload::Dispatcher::alltoall, 8));
}

TEST_CASE("slices gather what each of them received, and compute as much together") {
  const Changed whole(workload::Dispatcher::alltoall, 4, 1);
  CHECK(whole.work.gathering == 0);
  const Changed sliced(workload::Dispatcher::alltoall, 4, 2);
  const double bytes = 2 * kTokens * 6 * kRow;
  CHECK(sliced.work.gathering ==
        doctest::Approx((sliced.law(cost::CollectiveKind::all_gather, bytes, 2) +
                         sliced.law(cost::CollectiveKind::reduce_scatter, bytes, 2)) /
                        2));
  // Half the width for twice the rows: as many FLOPs, and not faster.
  CHECK(sliced.work.experts.forward.grouped > 0.9 * whole.work.experts.forward.grouped);
  CHECK(sliced.work.experts.forward.grouped < 1.3 * whole.work.experts.forward.grouped);
  const auto layer = [](const Changed& of) {
    return evaluate(of.work, constants().values, {}).layer.forward;
  };
  CHECK(layer(sliced) > layer(whole));
  double before = priced_exchange(whole.work, constants().values);
  for (const int slices : {2, 4, 8}) {
    CAPTURE(slices);
    const Changed more(workload::Dispatcher::alltoall, 4, slices);
    const double exchange = priced_exchange(more.work, constants().values);
    CHECK(exchange > before);
    before = exchange;
  }
}

TEST_CASE("slices without expert parallelism gather too; flexible dispatchers send to them") {
  const Changed alone(workload::Dispatcher::alltoall, 1, 4);
  CHECK(alone.work.exchange == 0);
  CHECK(priced_exchange(alone.work, constants().values) > 0);
  const Changed flex(workload::Dispatcher::hybridep, 4, 2);
  CHECK(flex.work.gathering == 0);
  CHECK(flex.work.exchange > Changed(workload::Dispatcher::hybridep, 4, 1).work.exchange);
}

}  // namespace
}  // namespace epwise::sim
