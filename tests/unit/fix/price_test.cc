// What each kind of edit costs.

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "fix/search.h"
#include "support/analyzed_recipe.h"

namespace {

using epwise::expr::Value;
using epwise::fix::Price;
using epwise::lint::Fix;
using epwise::lint::Tier;
using epwise::session::Analysis;
using epwise::test::analysis_of;

constexpr std::string_view kPricedRecipe = R"(
model:
  num_moe_experts: 60
  tensor_model_parallel_size: 4
  sequence_parallel: false
  recompute_granularity: selektive
  moe_token_dispatcher_type: allgather
  cuda_graph_modules: [attn, moe]
  moe_aux_loss_coeff: 0.01
train:
  global_batch_size: 30
)";

struct Row {
  std::string name;
  Value target;
  bool remove = false;
};

Fix::Edit edit_of(const Row& row) {
  Fix::Edit edit{row.name, row.remove ? "" : row.target.to_text(), {}};
  edit.name = row.name;
  edit.target = row.target;
  edit.remove = row.remove;
  return edit;
}

}  // namespace

TEST_CASE("edits from the nearest to the farthest") {
  const Analysis trial = analysis_of(kPricedRecipe, "--gpus 16");
  const auto& vocabulary = trial.vocabulary();
  const std::vector<std::pair<Row, int>> rows{
      {{"model.context_parallel_size", Value::of(1)}, 1},  // the default is written out
      {{"model.recompute_granularity", Value::of("selective")}, 5},
      {{"model.sequence_parallel", Value::of(true)}, 20},
      {{"model.recompute_granularity", Value(), true}, 30},
      {{"model.moe_token_dispatcher_type", Value::of("flex")}, 30},
      {{"model.recompute_granularity", Value::of("full")}, 30},
      {{"model.cuda_graph_modules", Value::of(Value::List{Value::of("attn")})}, 30},
      {{"train.train_iters", Value::of(100)}, 30},
      {{"train.global_batch_size", Value::of(32)}, 41},
      {{"model.num_moe_experts", Value::of(64)}, 41},
      {{"train.global_batch_size", Value::of(16)}, 49},
      {{"model.moe_aux_loss_coeff", Value::of(0)}, 80},
      {{"train.global_batch_size", Value::of(3000)}, 80},
      {{"model.pipeline_model_parallel_layout", Value::of("E|t")}, 130},
      {{"model.tensor_model_parallel_size", Value::of(2)}, 150},
      {{"model.tensor_model_parallel_size", Value::of(1)}, 160},
  };
  for (const auto& row : rows) {
    CAPTURE(row.first.name);
    CHECK(epwise::fix::distance_of(edit_of(row.first), *trial.recipe, vocabulary) == row.second);
  }
  CHECK(std::ranges::is_sorted(rows, {}, [](const auto& row) { return row.second; }));
}

TEST_CASE("a fix costs all its edits, and a parallel layout counts twice") {
  const Analysis trial = analysis_of(kPricedRecipe, "--gpus 16");
  const auto& vocabulary = trial.vocabulary();
  const auto price = [&](Tier tier, const std::vector<Row>& rows) {
    Fix fix{"", tier, {}};
    for (const Row& row : rows) {
      fix.edits.push_back(edit_of(row));
    }
    return epwise::fix::price_of(fix, *trial.recipe, vocabulary);
  };
  const Price batch = price(Tier::training, {{"train.global_batch_size", Value::of(32)}});
  const Price on = price(Tier::performance, {{"model.sequence_parallel", Value::of(true)}});
  const Price layout =
      price(Tier::performance, {{"model.tensor_model_parallel_size", Value::of(1)}});
  const Price both = price(Tier::performance,
                           {{"model.sequence_parallel", Value::of(true)},
                            {"model.tensor_model_parallel_size", Value::of(2)}});
  CHECK(on == Price{1, Tier::performance, 20});
  CHECK(layout == Price{2, Tier::performance, 160});
  CHECK(both == Price{2, Tier::performance, 170});
  CHECK(on < layout);
  CHECK(layout < batch);
  CHECK(batch.loss == 1);
  CHECK(price(Tier::performance, {{"model.context_parallel_size", Value::of(1)}}).size == 1);
}

TEST_CASE("what was trained for counts more than what it runs on, and what is on stays on") {
  const Analysis trial = analysis_of(R"(
model:
  num_moe_experts: 60
  tensor_model_parallel_size: 4
  moe_shared_expert_overlap: true
  cuda_graph_impl: transformer_engine
  fp8: hybrid
)",
                                     "--gpus 16");
  const auto& vocabulary = trial.vocabulary();
  const auto price = [&](const Row& row, Tier tier = Tier::training) {
    const Fix fix{"", tier, {edit_of(row)}};
    return epwise::fix::price_of(fix, *trial.recipe, vocabulary);
  };
  CHECK(price({"model.num_moe_experts", Value::of(64)}).loss == 1);
  CHECK(price({"model.fp8", Value(), true}).loss == 1);
  CHECK(price({"model.fp8", Value(), true}, Tier::neutral).loss == 0);   // nothing uses it
  CHECK(price({"mixed_precision", Value::of("bf16_mixed")}).loss == 1);  // overrules fp8
  CHECK(price({"model.bf16", Value::of(true)}).loss == 0);
  CHECK(price({"model.tensor_model_parallel_size", Value::of(2)}).loss == 0);
  CHECK(price({"train.global_batch_size", Value::of(64)}).loss == 0);  // never written
  CHECK(price({"model.moe_shared_expert_overlap", Value::of(false)}).size == 3);
  CHECK(price({"model.cuda_graph_impl", Value::of("none")}).size == 3);
  CHECK(price({"model.cuda_graph_impl", Value::of("local")}).size == 1);
}
