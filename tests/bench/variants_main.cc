/// Judges variants of a recipe through the library, as the advisor does: bench_variants RECIPE
/// COUNT. Prints how many it judged and how many of them start; tests/bench/lint.py counts its
/// instructions.

#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "lint/variants.h"
#include "support/example_target.h"

namespace {

using epwise::expr::Value;

/// The values that a search over layouts and dispatchers turns.
struct Knobs {
  explicit Knobs(const epwise::lint::Knowledge& knowledge)
      : tensor(knowledge.names.find("model.tensor_model_parallel_size")),
        expert(knowledge.names.find("model.expert_model_parallel_size")),
        backend(knowledge.names.find("model.moe_flex_dispatcher_backend")),
        batch(knowledge.names.find("train.micro_batch_size")) {}

  std::int32_t tensor;
  std::int32_t expert;
  std::int32_t backend;
  std::int32_t batch;
};

std::vector<epwise::lint::Variants::Change> candidate(const Knobs& knobs, int number) {
  constexpr std::array<const char*, 2> kBackends = {"deepep", "hybridep"};
  return {{knobs.tensor, Value::of(1 << (number % 3))},
          {knobs.expert, Value::of(1 << (number / 3 % 7))},
          {knobs.backend, Value::of(kBackends.at(static_cast<std::size_t>(number / 21 % 2)))},
          {knobs.batch, Value::of(1 + number / 42 % 4)}};
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    std::cerr << "usage: bench_variants RECIPE COUNT\n";
    return 2;
  }
  std::ifstream file(words[1]);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto knowledge = epwise::lint::load_knowledge();
  const auto linted = epwise::test::lint_text(
      text,
      "--framework bridge --hw h100 --gpus 64 --stack bridge=0.6.2,te=2.14.0,torch=2.9.1",
      knowledge);
  epwise::lint::Variants variants(
      *linted.recipes.front(), *linted.vocabulary, linted.target->target, knowledge);
  const Knobs knobs(knowledge);
  const int wanted = std::atoi(words[2]);
  int starting = 0;
  for (int number = 0; number < wanted; ++number) {
    const auto judgement = variants.judge(candidate(knobs, number));
    starting += judgement.verdict == epwise::lint::Verdict::starts ? 1 : 0;
  }
  std::cout << wanted << " variants, " << starting << " start; a change of expert ranks reaches "
            << variants.readers(knobs.expert) << " of " << knowledge.rules.size() << " rules\n";
  return 0;
}
