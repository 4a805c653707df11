#include <doctest/doctest.h>

#include "commands/explain/suspects.h"
#include "support/example_target.h"

namespace epwise::audit {
namespace {

constexpr const char* kRecipe = R"(
model:
  num_moe_experts: 64
  tensor_model_parallel_size: 2
  expert_model_parallel_size: 16
  pipeline_model_parallel_size: 2
train: {global_batch_size: 512, micro_batch_size: 1}
)";

Standing of(const char* code, const char* words) {
  static std::vector<test::Linted> kept;
  kept.push_back(test::lint_text(kRecipe, words, test::knowledge()));
  return standing(*test::knowledge().find(code), kept.back().results.front());
}

TEST_CASE("a rule is found, explained by another, open, absent or kept") {
  const auto found = of("PAR002", "--gpus 60 --stack bridge=0.6.2");
  CHECK(found.kind == Standing::Kind::found);
  REQUIRE(found.finding != nullptr);
  CHECK(found.finding->rule->code == "PAR002");

  const auto behind = of("PAR019", "--gpus 62 --stack bridge=0.6.2");
  CHECK(behind.kind == Standing::Kind::explained);
  CHECK(behind.broken());
  REQUIRE(behind.by != nullptr);
  CHECK(behind.by->code == "PAR001");
  REQUIRE(behind.finding != nullptr);
  CHECK(behind.finding->rule->code == "PAR001");
  CHECK(of("PAR001", "--gpus 62 --stack bridge=0.6.2").ends_launch);

  CHECK(of("PAR002", "--gpus 64 --stack bridge=0.6.2").kind == Standing::Kind::holds);
  const auto open = of("PAR002", "--stack bridge=0.6.2");
  CHECK(open.kind == Standing::Kind::open);
  REQUIRE(open.open != nullptr);
  CHECK(open.open->needs == std::vector<std::string>{"gpus"});
  CHECK(of("PAR022", "--gpus 64 --stack bridge=0.4.0").kind == Standing::Kind::absent);
}

}  // namespace
}  // namespace epwise::audit
