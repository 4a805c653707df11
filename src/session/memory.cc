#include "session/memory.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lint/finding_builder.h"
#include "lint/launch_run.h"
#include "perf/sim/constants/stated_inputs.h"
#include "perf/workload/memory.h"
#include "perf/workload/workload.h"
#include "recipe/trainers/trainer_facts.h"

namespace epwise::session {

namespace {

constexpr double kCertain = 0.9;
constexpr double kLikely = 0.5;
constexpr double kGib = 1024.0 * 1024 * 1024;

struct Need {
  workload::MemoryEstimate estimate;
  double capacity = 0;
  double excess = 0;  // probability that it does not fit
};

/// The part of a stage's memory that a reader knows by name.
struct Part {
  std::string_view name;
  double bytes = 0;
};

/// The largest first.
std::vector<Part> parts_of(const workload::StageMemory& stage) {
  std::vector<Part> parts = {{"weights", stage.weights},
                             {"gradients", stage.gradients},
                             {"optimizer states", stage.optimizer},
                             {"activations", stage.activations},
                             {"logits and loss", stage.loss},
                             {"transient tensors", stage.transient},
                             {"CUDA graphs", stage.graphs},
                             {"dispatcher buffers", stage.buffers}};
  std::ranges::stable_sort(parts, std::ranges::greater(), &Part::bytes);
  std::erase_if(parts, [](const Part& part) { return part.bytes < kGib / 10; });
  return parts;
}

/// Whether published runs confirm the memory model for such jobs: mixtures of experts whose
/// parameters are not sharded, and whose layers stay on the GPU.
bool is_known_well(const workload::Workload& job) {
  return job.architecture.experts.count > 0 && job.offload.whole_layers == 0 &&
         (job.sharding == workload::Sharding::none ||
          job.sharding == workload::Sharding::optimizer);
}

/// How settings count that a file of overrides leaves to its base recipe.
enum class Unwritten { least, defaults };

/// Memory of a recipe and of its variants.
class MemoryCheck {
 public:
  explicit MemoryCheck(const Analysis& analysis, Unwritten unwritten = Unwritten::least)
      : analysis_(analysis),
        facts_(analysis.facts()),
        unwritten_(unwritten) {}

  /// Nothing if the recipe cannot be read as a workload.
  std::optional<Need> need(const std::vector<lint::Fix::Edit>& edits, int more_gpus = 1);

  /// The two steps of `need`, for a job that is asked in both ways: reading it settles the launch,
  /// which takes most of the time.
  std::optional<workload::Workload> job_of(const std::vector<lint::Fix::Edit>& edits,
                                           int more_gpus = 1);
  Need need_of(workload::Workload job,
               const std::vector<lint::Fix::Edit>& edits,
               Unwritten unwritten) const;

  const facts::Facts& settled() {
    lint::settle(facts_, analysis_.knowledge());
    return facts_;
  }

 private:
  bool vary(const std::vector<lint::Fix::Edit>& edits, int more_gpus);
  void assume_the_longest_step();
  void assume_the_least(const std::vector<lint::Fix::Edit>& edits, workload::Workload& job) const;

  const Analysis& analysis_;
  facts::Facts facts_;
  Unwritten unwritten_;
};

/// Whether a file of Megatron-Bridge's settings may be overrides of a recipe of its library.
bool may_be_overrides(const recipe::Recipe& recipe) {
  return recipe.framework == recipe::Framework::bridge && recipe.base == nullptr &&
         (recipe.model_class.empty() || recipe.raw.contains("raw.trainer"));
}

bool MemoryCheck::vary(const std::vector<lint::Fix::Edit>& edits, int more_gpus) {
  for (const lint::Fix::Edit& edit : edits) {
    const auto slot = facts_.names().find(edit.name);
    if (!slot) {
      return false;
    }
    facts_.vary(*slot, edit.remove ? facts_.vocabulary().default_of(edit.name) : edit.target);
  }
  const auto gpus = facts_.names().find("gpus");
  if (more_gpus > 1 && gpus) {
    facts_.vary(*gpus, expr::Value::of(*analysis_.target->gpus * more_gpus));
  }
  return more_gpus == 1 || gpus.has_value();
}

/// Trainers that pack samples of changing length state the most tokens of a micro-batch elsewhere.
void MemoryCheck::assume_the_longest_step() {
  const auto step = recipe::longest_step(*analysis_.recipe);
  if (!step) {
    return;
  }
  constexpr std::int64_t kMicroBatches = 8;  // of each rank: enough to fill a pipeline
  const std::array<std::pair<std::string_view, std::int64_t>, 3> values = {
      std::pair{"model.seq_length", step->sequence},
      std::pair{"train.micro_batch_size", step->micro_batch},
      std::pair{"train.global_batch_size",
                step->micro_batch * analysis_.target->gpus.value_or(1) * kMicroBatches}};
  for (const auto& [name, value] : values) {
    if (const auto slot = facts_.names().find(name)) {
      facts_.vary(*slot, expr::Value::of(value));
    }
  }
}

void MemoryCheck::assume_the_least(const std::vector<lint::Fix::Edit>& edits,
                                   workload::Workload& job) const {
  const recipe::Recipe& recipe = *analysis_.recipe;
  if (!may_be_overrides(recipe)) {
    return;
  }
  const auto is_written = [&](std::string_view field) {
    const recipe::Field* written = recipe.find(field);
    return (written != nullptr && written->value.is_known()) ||
           std::ranges::any_of(edits,
                               [&](const lint::Fix::Edit& edit) { return edit.name == field; });
  };
  if (!is_written("ddp.use_distributed_optimizer") &&
      !is_written("optimizer.use_distributed_optimizer")) {
    job.optimizer.distributed = true;
  }
  if (!is_written("model.recompute_granularity")) {
    job.recompute.full = true;
  }
}

std::optional<workload::Workload> MemoryCheck::job_of(const std::vector<lint::Fix::Edit>& edits,
                                                      int more_gpus) {
  if (!vary(edits, more_gpus)) {
    facts_.restore();
    return std::nullopt;
  }
  assume_the_longest_step();
  lint::settle(facts_, analysis_.knowledge());
  workload::WorkloadReading read = workload::read_workload(facts_, false);
  facts_.restore();
  const workload::Workload& job = read.workload;
  if (!read.problems.empty() || job.machine.memory <= 0 || !is_known_well(job)) {
    return std::nullopt;
  }
  sim::StatedInputs stated;
  for (const Setting& input : analysis_.document->inputs) {
    sim::state(input.value, read.workload, stated);  // `epwise simulate` reports wrong ones
  }
  return std::move(read.workload);
}

Need MemoryCheck::need_of(workload::Workload job,
                          const std::vector<lint::Fix::Edit>& edits,
                          Unwritten unwritten) const {
  if (unwritten == Unwritten::least) {
    assume_the_least(edits, job);
  }
  Need need{workload::estimate_memory(job), job.machine.memory, 0};
  need.excess = workload::out_of_memory(need.estimate, need.capacity);
  return need;
}

std::optional<Need> MemoryCheck::need(const std::vector<lint::Fix::Edit>& edits, int more_gpus) {
  std::optional<workload::Workload> job = job_of(edits, more_gpus);
  return job ? std::optional(need_of(*std::move(job), edits, unwritten_)) : std::nullopt;
}

bool fits(const std::optional<Need>& need) {
  return need && need->excess < kLikely / 2;
}

/// Several fixes as one; nothing if they disagree about a field.
bool add_edits(lint::Fix& all, const lint::Fix& one) {
  const bool clash = std::ranges::any_of(one.edits, [&](const lint::Fix::Edit& edit) {
    return std::ranges::any_of(
        all.edits, [&](const lint::Fix::Edit& other) { return other.field == edit.field; });
  });
  if (clash) {
    return false;
  }
  all.title += all.title.empty() ? one.title : "; " + one.title;
  all.tier = std::max(all.tier, one.tier);
  all.edits.insert(all.edits.end(), one.edits.begin(), one.edits.end());
  return true;
}

/// One of the offered changes with as many of the others, in their order, as it takes to fit; nothing
/// if all of them do not suffice. Changes that disagree with those before are left out.
std::optional<lint::Fix> sufficient_together(const std::vector<lint::Fix>& offered,
                                             std::size_t first,
                                             MemoryCheck& check) {
  lint::Fix together{"", lint::Tier::neutral, {}};
  if (offered[first].edits.empty() || !add_edits(together, offered[first])) {
    return std::nullopt;
  }
  for (std::size_t other = 0; other < offered.size(); ++other) {
    if (other != first && !offered[other].edits.empty() && add_edits(together, offered[other]) &&
        fits(check.need(together.edits))) {
      return together;
    }
  }
  return std::nullopt;
}

/// The offered changes that suffice by themselves. If none does: the first of them that suffices
/// together with others.
std::vector<lint::Fix> sufficient(const std::vector<lint::Fix>& offered, MemoryCheck& check) {
  std::vector<lint::Fix> found;
  for (const lint::Fix& fix : offered) {
    if (!fix.edits.empty() && fits(check.need(fix.edits))) {
      found.push_back(fix);
    }
  }
  for (std::size_t first = 0; first < offered.size() && found.empty(); ++first) {
    if (std::optional<lint::Fix> together = sufficient_together(offered, first, check)) {
      found.push_back(*std::move(together));
    }
  }
  return found;
}

std::string message_of(const Need& need, const Analysis& analysis) {
  constexpr std::size_t kShown = 3;
  std::string largest;
  const auto parts =
      parts_of(need.estimate.stages[static_cast<std::size_t>(need.estimate.fullest)]);
  for (std::size_t i = 0; i < std::min(parts.size(), kShown); ++i) {
    largest += fmt::format("{}{} {:.0f}", i == 0 ? "" : ", ", parts[i].name, parts[i].bytes / kGib);
  }
  return fmt::format(
      "a step needs about {:.0f} GiB on the fullest GPU, of {:.0f} GiB that {} has: {}",
      need.estimate.needed / kGib,
      need.capacity / kGib,
      analysis.target->hw->name,
      largest);
}

/// What a memory prediction rests on, and how certain it is.
void explain(const Need& need, const Analysis& analysis, lint::Finding& finding) {
  finding.evidence.clear();
  finding.evidence.push_back(
      {"probability of running out", fmt::format("{:.0f} %", need.excess * 100), "predicted"});
  if (need.estimate.stages.size() > 1) {
    finding.evidence.push_back(
        {"fullest pipeline stage", std::to_string(need.estimate.fullest), "predicted"});
  }
  for (const Part& part :
       parts_of(need.estimate.stages[static_cast<std::size_t>(need.estimate.fullest)])) {
    finding.evidence.push_back(
        {std::string(part.name), fmt::format("{:.1f} GiB", part.bytes / kGib), "predicted"});
  }
  finding.evidence.push_back(
      {"memory", fmt::format("{:.1f} GiB", need.capacity / kGib), analysis.target->hw_source});
}

/// A run that is rejected for its shape or cannot be read has no memory. One that fails later, or is
/// started in a wrong way, has.
bool has_a_shape(const lint::Result& result) {
  constexpr std::array<std::string_view, 4> kTopics = {"shape/", "batch/", "recipe/", "yaml/"};
  return std::ranges::none_of(result.findings, [&](const lint::Finding& finding) {
    return finding.severity == lint::Severity::error &&
           finding.rule->effect == lint::Effect::refuse &&
           std::ranges::any_of(kTopics, [&](std::string_view topic) {
             return finding.rule->id.starts_with(topic);
           });
  });
}

/// Whether a flag that Megatron-LM does not know tells ranks, such as `--llm-tp`.
bool tells_ranks(std::string_view flag) {
  constexpr std::array<std::string_view, 6> kParts = {
      "-tp-", "-pp-", "-cp-", "-ep-", "-dp-", "-parallel-"};
  const std::string text = std::string(flag) + "-";
  return std::ranges::any_of(
      kParts, [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

/// A program that is not one of Megatron-LM's own may split its model with flags of its own.
bool splits_by_itself(const recipe::Recipe& recipe) {
  const auto program = recipe.raw.find("raw.program");
  const auto flags = recipe.raw.find("raw.unknown_flags");
  if (program == recipe.raw.end() || program->second.is_unset() || flags == recipe.raw.end() ||
      flags->second.list() == nullptr) {
    return false;
  }
  return std::ranges::any_of(*flags->second.list(), [](const expr::Value& flag) {
    return flag.text() != nullptr && tells_ranks(*flag.text());
  });
}

/// Whether the model's size is written, so that the file can be the whole recipe although it does
/// not say so.
bool states_its_size(const recipe::Recipe& recipe) {
  constexpr std::array<std::string_view, 4> kSize = {"model.num_layers",
                                                     "model.hidden_size",
                                                     "model.num_attention_heads",
                                                     "model.num_moe_experts"};
  return std::ranges::all_of(kSize, [&](std::string_view field) {
    const recipe::Field* written = recipe.find(field);
    return written != nullptr && written->value.is_known();
  });
}

/// Whether the machine is known, and the job's split can be read.
bool has_a_target(const Analysis& analysis) {
  return analysis.recipe->readable && analysis.target->hw != nullptr &&
         analysis.target->gpus.has_value() && !splits_by_itself(*analysis.recipe);
}

/// The rules about memory that run here.
std::vector<const lint::Rule*> memory_rules(const Analysis& analysis) {
  std::vector<const lint::Rule*> rules;
  for (const lint::Rule& rule : analysis.knowledge().rules) {
    if (lint::is_predicted(rule) && analysis.selection().takes(rule)) {
      rules.push_back(&rule);
    }
  }
  return rules;
}

bool has_memory_finding(const lint::Result& result) {
  return std::ranges::any_of(
             result.findings,
             [](const auto& finding) { return lint::is_predicted(*finding.rule); }) ||
         std::ranges::any_of(result.accepted, [](const auto& accepted) {
           return lint::is_predicted(*accepted.finding.rule);
         });
}

}  // namespace

void check_memory(Analysis& analysis) {
  if (!has_a_target(analysis)) {
    return;
  }
  if (!has_a_shape(analysis.result)) {
    for (const lint::Rule* rule : memory_rules(analysis)) {
      analysis.result.waiting.push_back(rule);
    }
    return;
  }
  const facts::Target& target = *analysis.target;
  const recipe::Recipe& recipe = *analysis.recipe;
  MemoryCheck check(analysis);
  const std::optional<workload::Workload> job = check.job_of({});
  if (!job) {
    return;
  }
  const Need least = check.need_of(*job, {}, Unwritten::least);
  // A file that may be the whole recipe has to fit as it is written, too.
  const bool is_trainers = recipe.raw.contains("raw.trainer");
  const bool may_be_whole = may_be_overrides(recipe) && states_its_size(recipe) && !is_trainers;
  const Unwritten unwritten = may_be_whole ? Unwritten::defaults : Unwritten::least;
  const Need need = may_be_whole ? check.need_of(*job, {}, Unwritten::defaults) : least;
  analysis.result.rules_checked += static_cast<int>(memory_rules(analysis).size());
  if (!(need.excess >= kLikely)) {
    return;
  }
  // Other trainers state the longest sequence, not the one of a step, and share the GPU with a rollout
  // engine or not: nothing is certain there.
  const bool certain = least.excess >= kCertain && !is_trainers;
  const lint::Rule* rule =
      analysis.knowledge().find(certain ? "memory/does-not-fit" : "memory/may-not-fit");
  if (rule == nullptr || !analysis.selection().takes(*rule)) {
    return;
  }
  lint::Finding finding = lint::build_finding(*rule, check.settled(), analysis.knowledge(), {});
  MemoryCheck variants(analysis, unwritten);
  finding.message = message_of(need, analysis);
  if (least.estimate.needed < need.estimate.needed) {
    finding.message +=
        fmt::format("; at least {:.0f} if these are overrides of a recipe that recomputes",
                    least.estimate.needed / kGib);
  }
  explain(need, analysis, finding);
  finding.fixes = sufficient(finding.fixes, variants);
  for (const int times : {2, 4, 8}) {
    if (fits(variants.need({}, times))) {
      finding.elsewhere.push_back(fmt::format("{} GPUs", *target.gpus * times));
      break;
    }
  }
  analysis.result.findings.push_back(std::move(finding));
}

bool would_overflow(const Analysis& analysis, const std::vector<lint::Fix::Edit>& edits) {
  if (!has_a_target(analysis) || !has_a_shape(analysis.result) ||
      has_memory_finding(analysis.result) || memory_rules(analysis).empty()) {
    return false;
  }
  const std::optional<Need> need = MemoryCheck(analysis).need(edits);
  return need && need->excess >= kLikely;
}

}  // namespace epwise::session
