#include "lint/facts/facts.h"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "recipe/load.h"

namespace {

using epwise::expr::Names;
using epwise::expr::NameSlot;
using epwise::expr::Value;
using epwise::facts::Derived;
using epwise::facts::Facts;
using epwise::facts::Target;
using epwise::recipe::Framework;

/// A recipe and what stands around it; must stay where it is.
class Stage {
 public:
  explicit Stage(std::string_view text, Framework framework = Framework::bridge)
      : vocabulary(epwise::recipe::Vocabulary::load(
            framework, framework == Framework::bridge ? "0.6.2" : "0.19.0")) {
    epwise::recipe::Request request;
    request.file = std::make_shared<epwise::text::SourceFile>("a.yaml", std::string(text));
    request.framework = framework;
    recipe = epwise::recipe::load(request, [&](Framework) -> const epwise::recipe::Vocabulary& {
               return vocabulary;
             }).front();
  }

  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  /// "d.NAME", computed by an expression.
  void derive(std::string_view name, std::string_view text) {
    auto parsed = epwise::expr::parse(text, names);
    REQUIRE(parsed.problems.empty());
    Derived entry;
    entry.slot = names.slot(name);
    entry.name = name;
    entry.expression = std::move(parsed.expression);
    derived.push_back(std::move(entry));
  }

  NameSlot slot(std::string_view name) { return names.slot(name); }

  /// All names must be known by now.
  Facts facts() const { return {recipe, vocabulary, target, names, derived}; }

  epwise::recipe::Vocabulary vocabulary;
  epwise::recipe::Recipe recipe;
  Target target;
  Names names;
  std::vector<Derived> derived;
};

constexpr std::string_view kRecipe = R"(model:
  num_layers: 8
  expert_model_parallel_size: 4
train: {micro_batch_size: 2}
env_vars: {NCCL_ALGO: Ring}
)";

}  // namespace

TEST_CASE("a field has the recipe's value, or the default of the framework version") {
  Stage stage(kRecipe);
  const auto layers = stage.slot("model.num_layers");
  const auto tensor = stage.slot("model.tensor_model_parallel_size");
  const auto absent = stage.slot("comm_overlap.bucket_size");
  const Facts facts = stage.facts();
  CHECK(facts.value(layers) == Value::of(8));
  CHECK(facts.is_explicit(layers) == Value::of(true));
  CHECK(facts.value(tensor) == Value::of(1));
  CHECK(facts.is_explicit(tensor) == Value::of(false));
  CHECK(facts.value(absent).is_unset());
  CHECK(facts.has_section("train") == Value::of(true));
  CHECK(facts.has_section("comm_overlap") == Value::of(false));
}

TEST_CASE("what the target does not say is unknown, with the name that would settle it") {
  Stage stage(kRecipe);
  const auto gpus = stage.slot("gpus");
  const auto cc = stage.slot("hw.cc");
  const auto te = stage.slot("stack.te");
  const auto torch = stage.slot("stack.torch");
  stage.target.stack.set("te", "2.14.0", "--stack");
  stage.target.stack.set("torch", "none", "--stack");
  const Facts facts = stage.facts();
  REQUIRE(facts.value(gpus).unknown() != nullptr);
  CHECK(facts.value(gpus).unknown()->needs == std::vector<std::string>{"gpus"});
  REQUIRE(facts.value(cc).unknown() != nullptr);
  CHECK(facts.value(cc).unknown()->needs == std::vector<std::string>{"hw"});
  REQUIRE(facts.value(te).version() != nullptr);
  CHECK(facts.value(te).version()->text() == "2.14.0");
  CHECK(facts.value(torch).is_unset());
}

TEST_CASE("a release older than all tables is itself, one between two is that of its table") {
  const auto version = [](const char* stated, std::string_view table) {
    Target target;
    target.stack.set("bridge", stated, "--stack");
    return component_value(target, epwise::recipe::Framework::bridge, table, "bridge").to_text();
  };
  CHECK(version("0.2.1", "0.3.0") == "0.2.1");
  CHECK(version("0.4.1", "0.4.0") == "0.4.0");
  CHECK(version("0.6.0", "0.6.2") == "0.6.2");
  CHECK(version("0.6.2", "0.6.2") == "0.6.2");
}

TEST_CASE("a variable comes from --env before the recipe, and a bare name unsets it") {
  Stage stage(kRecipe);
  const auto variable = stage.slot("env.NCCL_ALGO");
  CHECK(stage.facts().value(variable) == Value::of("Ring"));
  stage.target.environment["NCCL_ALGO"] = "Tree";
  CHECK(stage.facts().value(variable) == Value::of("Tree"));
  stage.target.environment["NCCL_ALGO"] = std::nullopt;
  CHECK(stage.facts().value(variable).is_unset());
}

TEST_CASE("derived values follow what a stage writes, and the rewrite is told") {
  Stage stage(kRecipe);
  stage.derive("d.double", "model.num_layers * 2");
  stage.derive("d.more", "d.double + 1");
  const auto layers = stage.slot("model.num_layers");
  const auto more = stage.slot("d.more");
  Facts facts = stage.facts();
  CHECK(facts.value(more) == Value::of(17));
  CHECK(facts.rewrites().empty());
  facts.assign(layers, Value::of(10), "a stage rounds it up");
  CHECK(facts.value(more) == Value::of(21));
  CHECK(facts.written(layers) == Value::of(8));
  const auto rewrites = facts.rewrites();
  REQUIRE(rewrites.size() == 1);
  CHECK(rewrites[0].field == "model.num_layers");
  CHECK(rewrites[0].before == Value::of(8));
  CHECK(rewrites[0].after == Value::of(10));
  CHECK(rewrites[0].why == "a stage rounds it up");
}

TEST_CASE("a variation counts as written, and restore undoes it and the stages") {
  Stage stage(kRecipe);
  stage.derive("d.double", "model.tensor_model_parallel_size * 2");
  const auto tensor = stage.slot("model.tensor_model_parallel_size");
  const auto twice = stage.slot("d.double");
  const auto gpus = stage.slot("gpus");
  Facts facts = stage.facts();
  CHECK(facts.value(twice) == Value::of(2));
  facts.vary(tensor, Value::of(4));
  facts.vary(gpus, Value::of(64));
  facts.assign(tensor, Value::of(8), "a stage");
  facts.set_section("comm_overlap", true);
  CHECK(facts.value(twice) == Value::of(16));
  CHECK(facts.is_explicit(tensor) == Value::of(true));
  CHECK(facts.value(gpus) == Value::of(64));
  facts.restore();
  CHECK(facts.value(tensor) == Value::of(1));
  CHECK(facts.is_explicit(tensor) == Value::of(false));
  CHECK(facts.value(twice) == Value::of(2));
  CHECK(facts.value(gpus).is_unknown());
  CHECK(facts.has_section("comm_overlap") == Value::of(false));
}

TEST_CASE("a section that a stage makes has the defaults, one that it removes has nothing") {
  Stage stage(kRecipe);
  const auto overlap = stage.slot("comm_overlap.tp_comm_overlap");
  const auto batch = stage.slot("train.micro_batch_size");
  Facts facts = stage.facts();
  CHECK(facts.value(batch) == Value::of(2));
  facts.set_section("comm_overlap", true);
  facts.set_section("train", false);
  CHECK(facts.has_section("comm_overlap") == Value::of(true));
  CHECK(facts.value(batch).is_unset());
  CHECK_FALSE(facts.value(overlap).is_unknown());
}

TEST_CASE("after the config is built, Megatron-LM's rewrites are the config's") {
  Stage stage("MODEL_ARGS:\n  --num-layers: 4\n  --hidden-size: 64\n  --num-attention-heads: 4\n",
              Framework::mlm);
  const auto layers = stage.slot("model.num_layers");
  const auto hidden = stage.slot("model.hidden_size");
  Facts facts = stage.facts();
  CHECK(facts.value(layers) == Value::of(4));
  facts.assign(hidden, Value::of(128), "an argument is rounded");
  facts.enter_config();
  facts.assign(layers, Value::of(6), "the config adds two");
  const auto rewrites = facts.rewrites();
  REQUIRE(rewrites.size() == 2);
  CHECK(rewrites[0].field == "config.num_layers");
  CHECK(rewrites[0].before == Value::of(4));
  CHECK(rewrites[1].field == "hidden_size");
  CHECK(rewrites[1].after == Value::of(128));
}
