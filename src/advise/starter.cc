#include "advise/starter.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/units/quantity.h"

namespace epwise::advise {

namespace {

/// A line of the recipe: Megatron-Bridge's field, Megatron-LM's flag, and the value.
struct Line {
  std::string section;
  std::string field;
  std::string flag;  // empty: only exists in Megatron-Bridge
  std::string value;
};

using Lines = std::vector<Line>;

void add(Lines& lines, std::string field, std::string flag, int value) {
  lines.push_back({"model", std::move(field), std::move(flag), std::to_string(value)});
}

void add(Lines& lines, std::string field, std::string flag, const char* value) {
  lines.push_back({"model", std::move(field), std::move(flag), value});
}

void add_attention(const KnownModel& model, bool megatron_lm, Lines& lines) {
  add(lines, "num_attention_heads", "--num-attention-heads", model.heads);
  const LatentSizes& latent = model.latent;
  if (latent.key_value > 0) {
    add(lines, "multi_latent_attention", "--multi-latent-attention", "true");
    if (latent.query > 0) {
      add(lines, "q_lora_rank", "--q-lora-rank", latent.query);
    }
    add(lines, "kv_lora_rank", "--kv-lora-rank", latent.key_value);
    add(lines, "qk_head_dim", "--qk-head-dim", latent.head);
    add(lines, "qk_pos_emb_head_dim", "--qk-pos-emb-head-dim", latent.rotary);
    add(lines, "v_head_dim", "--v-head-dim", latent.value);
    add(lines, "qk_layernorm", "--qk-layernorm", "true");  // of the compressed vectors
    return;
  }
  if (megatron_lm && model.groups > 0) {
    lines.push_back({"", "", "--group-query-attention", "true"});
  }
  add(lines,
      "num_query_groups",
      "--num-query-groups",
      model.groups > 0 ? model.groups : model.heads);
  if (model.head > 0) {
    add(lines, "kv_channels", "--kv-channels", model.head);
  }
}

/// One entry per layer, 1 if it has experts: "[0, 1, 1]".
std::string frequency_text(const KnownModel& model) {
  std::string text;
  for (int layer = 0; layer < model.layers; ++layer) {
    text += fmt::format("{}{}", layer == 0 ? "" : ", ", layer < model.dense_layers ? 0 : 1);
  }
  return '[' + text + ']';
}

void add_experts(const KnownModel& model, const Layout& layout, Lines& lines) {
  add(lines, "num_moe_experts", "--num-experts", model.experts);
  add(lines, "moe_router_topk", "--moe-router-topk", model.topk);
  add(lines, "moe_ffn_hidden_size", "--moe-ffn-hidden-size", model.ffn);
  if (model.shared > 0) {
    add(lines,
        "moe_shared_expert_intermediate_size",
        "--moe-shared-expert-intermediate-size",
        model.shared);
  }
  if (model.dense_layers > 0) {
    lines.push_back({"model", "moe_layer_freq", "--moe-layer-freq", frequency_text(model)});
  }
  add(lines, "moe_router_load_balancing_type", "--moe-router-load-balancing-type", "aux_loss");
  add(lines, "moe_aux_loss_coeff", "--moe-aux-loss-coeff", "0.001");
  add(lines, "moe_router_dtype", "--moe-router-dtype", "fp32");
  add(lines, "moe_grouped_gemm", "--moe-grouped-gemm", "true");
  add(lines, "moe_permute_fusion", "--moe-permute-fusion", "true");
  add(lines, "moe_token_dispatcher_type", "--moe-token-dispatcher-type", "alltoall");
  add(lines, "expert_model_parallel_size", "--expert-model-parallel-size", layout.expert);
  add(lines, "expert_tensor_parallel_size", "--expert-tensor-parallel-size", 1);
}

/// Layers per chunk if they do not divide: the first and the last chunk, with embedding and loss,
/// get fewer.
std::string even_layout(int layers, int chunks) {
  std::vector<int> counts(static_cast<std::size_t>(chunks), layers / chunks);
  for (int left = layers % chunks, i = 0; i < left; ++i) {
    ++counts[static_cast<std::size_t>(1 + i) % counts.size()];
  }
  std::string text = "E";
  for (std::size_t i = 0; i < counts.size(); ++i) {
    text +=
        std::string(i == 0 ? 0 : 1, '|') + std::string(static_cast<std::size_t>(counts[i]), 't');
  }
  return text + "L";
}

void add_parallel(const Start& start, const Layout& layout, Lines& lines) {
  add(lines, "tensor_model_parallel_size", "--tensor-model-parallel-size", layout.tensor);
  add(lines, "pipeline_model_parallel_size", "--pipeline-model-parallel-size", layout.pipeline);
  const int chunks = layout.pipeline * layout.chunks;
  if (start.model.layers % chunks != 0) {
    lines.push_back({"model",
                     "pipeline_model_parallel_layout",
                     "--pipeline-model-parallel-layout",
                     '"' + even_layout(start.model.layers, chunks) + '"'});
  }
  const bool even = start.model.layers % chunks == 0;
  if (layout.chunks > 1 && !(start.megatron_lm && !even)) {
    lines.push_back({"model",
                     "virtual_pipeline_model_parallel_size",
                     "--num-virtual-stages-per-pipeline-rank",
                     std::to_string(layout.chunks)});
  }
  add(lines, "context_parallel_size", "--context-parallel-size", 1);
  if (layout.tensor > 1) {
    add(lines, "sequence_parallel", "--sequence-parallel", "true");
  }
  if (layout.recompute == "small") {
    add(lines, "recompute_granularity", "--recompute-granularity", "selective");
    add(lines, "recompute_modules", "--recompute-modules", "[layernorm, moe_act]");
  } else if (layout.recompute == "full") {
    add(lines, "recompute_granularity", "--recompute-granularity", "full");
    add(lines, "recompute_method", "--recompute-method", "uniform");
    add(lines, "recompute_num_layers", "--recompute-num-layers", 1);
  }
}

std::string precision_of(const Start& start) {
  constexpr double kBlackwell = 10;
  if (!start.fp8) {
    return "bf16_mixed";
  }
  return start.hw->compute_capability >= kBlackwell ? "bf16_with_mxfp8_mixed"
                                                    : "bf16_with_fp8_subchannel_scaling_mixed";
}

/// Sections after `model`.
void add_training(const Start& start, Lines& lines) {
  constexpr double kBlackwell = 10;
  const auto flag = [&](const char* section, const char* field, const char* name, auto value) {
    lines.push_back({section, field, name, fmt::format("{}", value)});
  };
  if (start.megatron_lm) {
    flag("", "", "--bf16", "true");
    if (start.fp8) {
      flag("", "", "--fp8-format", "e4m3");
      flag("",
           "",
           "--fp8-recipe",
           start.hw->compute_capability >= kBlackwell ? "mxfp8" : "blockwise");
    }
    flag("", "", "--max-position-embeddings", start.sequence);
    flag("", "", "--use-mcore-models", "true");
    flag("", "", "--swiglu", "true");
    flag("", "", "--disable-bias-linear", "true");
    flag("", "", "--normalization", "RMSNorm");
    flag("", "", "--position-embedding-type", "rope");
    flag("", "", "--untie-embeddings-and-output-weights", "true");
    flag("", "", "--attention-dropout", 0);
    flag("", "", "--hidden-dropout", 0);
    flag("", "", "--tokenizer-type", "NullTokenizer");
    flag("", "", "--vocab-size", start.model.vocabulary);
    flag("", "", "--mock-data", "true");
    flag("", "", "--lr", "3.0e-4");
    flag("", "", "--train-iters", 1000);
  } else {
    flag("comm_overlap", "tp_comm_overlap", "", "false");
    flag("comm_overlap", "overlap_moe_expert_parallel_comm", "", "false");
    flag("", "mixed_precision", "", precision_of(start));
  }
  flag("ddp", "use_distributed_optimizer", "--use-distributed-optimizer", "true");
  flag("ddp", "overlap_grad_reduce", "--overlap-grad-reduce", "true");
  flag("ddp", "overlap_param_gather", "--overlap-param-gather", "true");
  if (!start.megatron_lm) {
    flag("optimizer", "use_distributed_optimizer", "", "true");
  }
  flag("train", "micro_batch_size", "--micro-batch-size", 1);
  flag("train", "global_batch_size", "--global-batch-size", start.global_batch);
  if (!start.megatron_lm) {
    flag("dataset", "sequence_length", "", start.sequence);
  }
}

std::string bridge_text(const Lines& lines) {
  std::string text;
  std::string section;
  for (const Line& line : lines) {
    if (line.field.empty()) {
      continue;
    }
    if (line.section.empty()) {
      text += fmt::format("{}: {}\n", line.field, line.value);
      continue;
    }
    if (line.section != section) {
      text += line.section + ":\n";
      section = line.section;
    }
    text += fmt::format("  {}: {}\n", line.field, line.value);
  }
  return text;
}

std::string megatron_text(const Lines& lines) {
  std::string text = "MODEL_ARGS:\n";
  for (const Line& line : lines) {
    if (!line.flag.empty()) {
      std::string value = line.value;
      if (line.flag == "--moe-layer-freq") {
        value = '"' + value + '"';
      } else if (value.starts_with('[')) {  // several words
        value = value.substr(1, value.size() - 2);
        std::erase(value, ',');
      }
      text += fmt::format("  {}: {}\n", line.flag, value);
    }
  }
  return text;
}

std::string head_of(const Start& start) {
  const double total = start.model.total > 0 ? start.model.total : parameters_of(start.model) / 1e9;
  return fmt::format(
      "# {} ({:.4g} B parameters) on {} {} GPUs, sequence {}: starter recipe written by epwise.\n"
      "# All-to-all, no overlap, no graphs: bring this up first. `epwise advise` suggests the next "
      "steps.\n"
      "# epwise: --hw {} --gpus {}\n",
      start.model.name,
      total,
      start.gpus,
      start.hw->title,
      start.sequence,
      start.hw->name,
      start.gpus);
}

std::vector<int> powers(int most) {
  std::vector<int> all;
  for (int each = 1; each <= most; each *= 2) {
    all.push_back(each);
  }
  return all;
}

bool is_possible(const Start& start, const Layout& layout) {
  const int ranks = layout.tensor * layout.pipeline;
  const int replicas = start.gpus / std::max(ranks, 1);
  const int groups = start.model.groups > 0 ? start.model.groups : start.model.heads;
  return start.gpus % ranks == 0 && start.gpus % (layout.expert * layout.pipeline) == 0 &&
         start.global_batch % replicas == 0 && start.model.experts % layout.expert == 0 &&
         start.model.heads % layout.tensor == 0 &&
         (start.model.latent.key_value > 0 || groups % layout.tensor == 0) &&
         layout.pipeline * layout.chunks <= start.model.layers &&
         start.global_batch / replicas >= (layout.chunks > 1 ? layout.pipeline : 1);
}

std::vector<int> expert_ranks(const Start& start) {
  constexpr int kMostExpertRanks = 64;
  return start.expert > 0 ? std::vector<int>{start.expert}
                          : powers(std::min(kMostExpertRanks, start.gpus));
}

/// The nearest numbers below and above that meet a condition: "56 and 64"; empty: none up to `most`.
template <class Condition>
std::string nearest(int number, int most, const Condition& holds) {
  std::string text;
  for (int below = number - 1; below > 0 && text.empty(); --below) {
    text = holds(below) ? std::to_string(below) : "";
  }
  for (int above = number + 1; above <= most; ++above) {
    if (holds(above)) {
      return text + (text.empty() ? "" : " and ") + std::to_string(above);
    }
  }
  return text;
}

/// All plausible layouts, by the amount of sharding.
std::vector<Layout> layouts_of(const Start& start) {
  constexpr int kMostStages = 16;
  std::vector<Layout> layouts;
  for (const int tensor : powers(std::min(start.hw->gpus_per_node, start.gpus))) {
    for (const int pipeline : powers(std::min(kMostStages, start.gpus))) {
      for (const int chunks : pipeline > 1 ? std::vector<int>{1, 2, 4} : std::vector<int>{1}) {
        for (const int expert : expert_ranks(start)) {
          const Layout layout{tensor, pipeline, chunks, expert, ""};
          if (is_possible(start, layout)) {
            layouts.push_back(layout);
          }
        }
      }
    }
  }
  return layouts;
}

bool is_clean(const session::Analysis& trial) {
  return trial.recipe != nullptr && trial.recipe->readable &&
         trial.result.launch.verdict != lint::Verdict::rejects &&
         std::ranges::none_of(trial.result.findings, [](const lint::Finding& finding) {
           return finding.severity > lint::Severity::note;
         });
}

}  // namespace

std::string starter_text(const Start& start, const Layout& layout) {
  Lines lines;
  const KnownModel& model = start.model;
  add(lines, "num_layers", "--num-layers", model.layers);
  add(lines, "hidden_size", "--hidden-size", model.hidden);
  add(lines,
      "ffn_hidden_size",
      "--ffn-hidden-size",
      model.dense_ffn > 0 ? model.dense_ffn : model.ffn * model.topk);
  add_attention(model, start.megatron_lm, lines);
  if (!start.megatron_lm) {
    add(lines, "gated_linear_unit", "", "true");
    add(lines, "add_bias_linear", "", "false");
    add(lines, "vocab_size", "", model.vocabulary);
  }
  add(lines, "seq_length", "--seq-length", start.sequence);
  add_experts(model, layout, lines);
  add_parallel(start, layout, lines);
  if (!start.megatron_lm) {
    add(lines, "cuda_graph_impl", "", "none");
    add(lines, "bf16", "", "true");
  }
  add_training(start, lines);
  return head_of(start) + (start.megatron_lm ? megatron_text(lines) : bridge_text(lines));
}

int sensible_gpus(const KnownModel& model, const hw::Profile& hw) {
  constexpr double kBytes = 18;  // per parameter: weights, gradients, optimizer states
  constexpr double kRoom = 0.4;  // of the memory, for states
  constexpr double kDefault = 80e9;
  constexpr int kMost = 4096;
  const hw::Sourced* memory = hw.number("memory");
  const double room = kRoom * (memory == nullptr ? kDefault : memory->value.value);
  int gpus = std::max(hw.gpus_per_node, 1);
  while (gpus < kMost && gpus * room < kBytes * parameters_of(model)) {
    gpus *= 2;
  }
  return gpus;
}

std::string layout_words(const Start& start, const Layout& layout) {
  std::string text = fmt::format("TP {}, PP {}", layout.tensor, layout.pipeline);
  text += layout.chunks > 1 ? fmt::format(", VP {}", layout.chunks) : "";
  text += fmt::format(", EP {}, micro-batch 1, global batch {}, sequence {}, {}, all-to-all, ",
                      layout.expert,
                      start.global_batch,
                      start.sequence,
                      start.fp8 ? "FP8" : "BF16");
  return text + (layout.recompute.empty()     ? "no recompute"
                 : layout.recompute == "full" ? "full recompute"
                                              : "recompute of layernorm and moe_act");
}

std::string indivisible(const Start& start) {
  const int experts = start.model.experts;
  if (start.expert > 0 && experts % start.expert != 0) {
    return fmt::format(
        "the {} experts of {} are not a multiple of {} expert ranks; {} would divide them",
        experts,
        start.model.name,
        start.expert,
        nearest(start.expert, experts, [&](int ranks) { return experts % ranks == 0; }));
  }
  const int own = std::max(start.expert, 1);
  if (start.gpus % own != 0) {
    return fmt::format(
        "{} GPUs are not a multiple of {} expert ranks; {} GPUs are",
        start.gpus,
        own,
        nearest(start.gpus, start.gpus + own, [&](int gpus) { return gpus % own == 0; }));
  }
  return "";
}

namespace {

/// The same world with another text of the starter.
World with_text(const World& world, std::string text) {
  World started = world;
  started.base = world.base.with(session::Draft{std::move(text), {}});
  return started;
}

/// Whether some layout fits with full recompute: such GPUs hold the model at all.
bool holds_model(const World& world, const Start& start) {
  return std::ranges::any_of(layouts_of(start), [&](Layout layout) {
    layout.recompute = "full";
    const World started = with_text(world, starter_text(start, layout));
    Assessor assessor(started, nullptr);
    const Assessment assessment = assessor.predicted(Edits{}).assessment;
    return assessment.step > 0 && assessment.out_of_memory <= kMostMemoryRisk &&
           is_clean(started.base);
  });
}

/// The smallest number of GPUs above the start's that does, among 1, 2, 4, … nodes; 0: none.
int gpus_that_hold(const World& world, Start start) {
  constexpr int kMost = 4096;
  constexpr int kSequencesPerGpu = 8;
  const int least = start.gpus;
  World larger = world;
  facts::Target target = *world.base.target;
  for (int gpus = std::max(start.hw->gpus_per_node, 1); gpus <= kMost; gpus *= 2) {
    start.gpus = gpus;
    start.global_batch = std::max(start.global_batch, kSequencesPerGpu * gpus) / gpus * gpus;
    if (gpus <= least) {
      continue;
    }
    target.gpus = gpus;
    larger.base = world.base.on(target);
    if (holds_model(larger, start)) {
      return gpus;
    }
  }
  return 0;
}

/// Why none of the layouts fits, with the numbers of GPUs that allow more of them, or hold the model.
std::string unfit(const World& world, const Start& start, double least) {
  const int node = std::max(start.hw->gpus_per_node, 1);
  std::string text = "no layout of this model fits in the memory of these GPUs";
  text += least > 0 ? fmt::format(": the leanest needs {:.0f} GiB", least / units::kGiB) : "";
  if (start.gpus > node && start.gpus % node != 0) {
    text += fmt::format(
        "; {} GPUs are not a multiple of the {} of a node, which leaves few numbers of tensor, "
        "pipeline and expert ranks; the nearest that are: {}",
        start.gpus,
        node,
        nearest(start.gpus, start.gpus + node, [&](int gpus) { return gpus % node == 0; }));
  }
  const int enough = gpus_that_hold(world, start);
  return text + (enough > 0 ? fmt::format("; {} GPUs hold it", enough) : "");
}

}  // namespace

std::optional<Starter> find_starter(const World& world, const Start& start, std::string& problem) {
  problem = indivisible(start);
  if (!problem.empty()) {
    return std::nullopt;
  }
  double least = 0;
  std::optional<Starter> best;
  for (const char* recompute : {"", "small", "full"}) {
    for (Layout layout : layouts_of(start)) {
      layout.recompute = recompute;
      Starter starter{layout, starter_text(start, layout), 0};
      const World started = with_text(world, starter.text);
      Assessor assessor(started, nullptr);
      const Assessment assessment = assessor.predicted(Edits{}).assessment;
      if (assessment.step <= 0) {
        problem = assessment.problem;
        continue;
      }
      least = least > 0 ? std::min(least, assessment.needed_memory) : assessment.needed_memory;
      starter.step = assessment.step;
      const bool better = !best || starter.step < best->step;
      if (better && assessment.out_of_memory <= kMostMemoryRisk && is_clean(started.base)) {
        best = std::move(starter);
      }
    }
    if (best) {
      return best;
    }
  }
  if (problem.empty()) {
    problem = unfit(world, start, least);
  }
  return best;
}

}  // namespace epwise::advise
