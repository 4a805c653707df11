#include "commands/diff/effect.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "lint/knowledge.h"
#include "perf/workload/settings.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::diff {
namespace {

using recipe::Framework;
using recipe::Vocabulary;

/// Every field that a framework version knows, and every variable that a rule asks for.
std::set<std::string> known_fields() {
  std::set<std::string> names;
  for (const Framework framework : {Framework::bridge, Framework::mlm}) {
    for (const std::string_view version : Vocabulary::versions(framework)) {
      const Vocabulary vocabulary = Vocabulary::load(framework, version);
      for (const recipe::FieldSpec& field : vocabulary.fields()) {
        names.emplace(field.name);
      }
    }
  }
  return names;
}

TEST_CASE("every field that a framework version knows has one class") {
  const EffectTable& table = EffectTable::embedded();
  std::string unclassed;
  std::string torn;
  for (const std::string& name : known_fields()) {
    const auto best = table.best_for(name);
    if (best.empty() && name.find('.') != std::string::npos) {
      unclassed += name + " ";
    }
    const auto differs = [&best](const EffectTable::Line* line) {
      return line->effect != best.front()->effect;
    };
    if (std::ranges::any_of(best, differs)) {
      torn += name + " ";
    }
  }
  CHECK(unclassed == "");
  CHECK(torn == "");
}

TEST_CASE("a field whose change is one of performance is priced, told or without effect") {
  const EffectTable& table = EffectTable::embedded();
  std::string open;
  for (const std::string& name : known_fields()) {
    const bool counts =
        name.find('.') != std::string::npos && table.effect_of(name) == Effect::performance;
    if (counts && workload::setting_row(name) == nullptr) {
      open += name + " ";
    }
  }
  CHECK(open == "");
}

TEST_CASE("a variable or component that rules read is priced, told or without effect") {
  static const auto knowledge = lint::load_knowledge();
  std::string open;
  for (const auto slot : knowledge.names.slots()) {
    const std::string_view name = knowledge.names.name(slot);
    const std::string_view last = name.substr(name.find('.') + 1);
    const bool component = name.starts_with("stack.") || name.starts_with("installed.");
    if ((name.starts_with("env.") && workload::variable_row(last) == nullptr) ||
        (component && workload::component_row(last) == nullptr)) {
      open += std::string(name) + " ";
    }
  }
  CHECK(open == "");
  for (const auto rows : {workload::variable_rows(), workload::component_rows()}) {
    for (const workload::SettingRow& row : rows) {
      CAPTURE(row.name);
      CHECK_FALSE(row.reason.empty());
    }
  }
}

TEST_CASE("every row of the prediction's settings takes a field, and says why") {
  const std::set<std::string> names = known_fields();
  std::set<std::string_view> taken;
  for (const std::string& name : names) {
    if (const workload::SettingRow* row = workload::setting_row(name)) {
      taken.insert(row->name);
    }
  }
  for (const workload::SettingRow& row : workload::setting_rows()) {
    CAPTURE(row.name);
    CHECK(taken.count(row.name) == 1);
    CHECK_FALSE(row.reason.empty());
  }
}

TEST_CASE("every line fits a field, and stands there once") {
  const std::set<std::string> names = known_fields();
  std::set<std::string> seen;
  for (const EffectTable::Line& line : EffectTable::embedded().lines()) {
    CAPTURE(line.pattern);
    CHECK(seen.insert(line.pattern).second);
    CHECK_FALSE(line.about.empty());
    CHECK((line.pattern.starts_with("env") ||
           std::ranges::any_of(names, [&](const auto& name) { return fits(line.pattern, name); })));
  }
}

TEST_CASE("no line takes all of model or all of Megatron-LM's own arguments") {
  const EffectTable& table = EffectTable::embedded();
  CHECK(table.best_for("model.of_next_year").empty());
  CHECK(table.best_for("mlm.of_next_year").empty());
  CHECK(table.effect_of("model.of_next_year") == Effect::training);
  CHECK(table.about("model.of_next_year").empty());
}

TEST_CASE("what fields of each class do") {
  const EffectTable& table = EffectTable::embedded();
  for (const char* name : {"logger.log_interval",
                           "checkpoint.save_interval",
                           "env.NCCL_DEBUG",
                           "dist.distributed_timeout_minutes",
                           "mlm.wandb_project"}) {
    CAPTURE(name);
    CHECK(table.effect_of(name) == Effect::neutral);
  }
  for (const char* name : {"model.tensor_model_parallel_size",
                           "model.moe_token_dispatcher_type",
                           "model.recompute_granularity",
                           "model.recompute_num_layers",
                           "comm_overlap",
                           "comm_overlap.tp_comm_overlap_cfg.qkv_fprop.num_sm",
                           "model.transformer.moe_router_fusion",
                           "model.dist_train.use_dist_train",
                           "env.CUDA_DEVICE_MAX_CONNECTIONS",
                           "optimizer.overlap_param_gather",
                           "train.micro_batch_size"}) {
    CAPTURE(name);
    CHECK(table.effect_of(name) == Effect::performance);
  }
  for (const char* name : {"model.moe_router_topk",
                           "checkpoint.load",
                           "ddp.grad_reduce_in_fp32",
                           "optimizer.lr",
                           "train.global_batch_size",
                           "mlm.no_load_optim"}) {
    CAPTURE(name);
    CHECK(table.effect_of(name) == Effect::training);
  }
}

TEST_CASE("a star stands for any letters, also none") {
  CHECK(fits("a.b", "a.b"));
  CHECK_FALSE(fits("a.b", "a.bc"));
  CHECK(fits("a.*", "a."));
  CHECK(fits("*_size", "model.x_size"));
  CHECK_FALSE(fits("*_size", "model.x_sizes"));
  CHECK(fits("a*b*c", "aXbYbZc"));
  CHECK_FALSE(fits("a*b*c", "aXcYb"));
  CHECK(fits("*", ""));
}

TEST_CASE("a table that can't be read says where") {
  const auto problem_of = [](const char* text) {
    const text::SourceFile file("effects.yaml", text);
    std::vector<text::Diagnostic> problems;
    static_cast<void>(EffectTable::read(file, problems));
    REQUIRE_FALSE(problems.empty());
    return problems.front().message;
  };
  CHECK(problem_of("[]").find("one mapping") != std::string::npos);
  CHECK(problem_of("neutrel: []").find("neutrel") != std::string::npos);
  CHECK(problem_of("neutral: [{fields: [a]}]").find("what") != std::string::npos);
  CHECK(problem_of("neutral: {a: 1}").find("neutral") != std::string::npos);
}

TEST_CASE("the most telling line counts") {
  const text::SourceFile file("effects.yaml",
                              "neutral: [{what: a, fields: [x.*]}]\n"
                              "performance: [{what: b, fields: [x.long_*, x.exactly]}]\n"
                              "training: [{what: c, fields: ['*xactly', x.l*]}]\n");
  std::vector<text::Diagnostic> problems;
  const EffectTable table = EffectTable::read(file, problems);
  CHECK(problems.empty());
  CHECK(table.effect_of("x.y") == Effect::neutral);
  CHECK(table.effect_of("x") == Effect::neutral);
  CHECK(table.effect_of("x.long_name") == Effect::performance);
  CHECK(table.effect_of("x.lo") == Effect::training);
  CHECK(table.effect_of("x.exactly") == Effect::performance);
  CHECK(table.about("x.exactly") == "b");
}

}  // namespace
}  // namespace epwise::diff
