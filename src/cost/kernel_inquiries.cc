#include <fmt/format.h>

#include "cost/attention.h"
#include "cost/gemm.h"
#include "cost/memory_bound.h"
#include "cost/moe_forward.h"
#include "cost/question.h"

namespace epwise::cost {

namespace {

using Kind = Parameter::Kind;

Parameter dtype() {
  return {
      .name = "dtype", .kind = Kind::word, .meaning = "number format", .words = words_of<Format>()};
}

Parameter tokens_of_group() {
  return {.name = "tokens", .meaning = "tokens of the expert-parallel group", .low = 1};
}

Cost ask_gemm(const Table& table, const Chip& chip, const Values& values) {
  Gemm shape;
  shape.format = values.name<Format>("dtype");
  shape.m = values.number("m");
  shape.n = values.number("n");
  shape.k = values.number("k");
  shape.transformer_engine = values.word("family") == "te";
  shape.quantise = values.flag("quant");
  shape.sms = values.number("sms");
  return gemm(table, chip, shape);
}

GemmStage stage_of(const Values& values) {
  const std::string& stage = values.word("stage");
  if (stage == "fwd") {
    return GemmStage::forward;
  }
  return stage == "wgrad" || stage == "bwd_grad_w" ? GemmStage::weight_gradient
                                                   : GemmStage::data_gradient;
}

Cost ask_grouped_gemm(const Table& table, const Chip& chip, const Values& values) {
  GroupedGemm shape;
  const auto& rows = values.numbers("tokens_per_group");
  shape.format = values.name<Format>("dtype");
  shape.groups = values.number("groups");
  shape.rows_per_group = rows.front();
  if (rows.size() > 1) {
    shape.rows = rows;
  }
  shape.n = values.number("n");
  shape.k = values.number("k");
  shape.stage = stage_of(values);
  shape.persistent = values.word("family") == "single";
  shape.accumulate = values.flag("accumulate");
  shape.quantise = values.flag("quant");
  return grouped_gemm(table, chip, shape);
}

void check_grouped_gemm(const Values& values, std::vector<std::string>& problems) {
  const std::size_t given = values.numbers("tokens_per_group").size();
  const double groups = values.number("groups");
  if (given > 1 && static_cast<double>(given) != groups) {
    problems.push_back(fmt::format(
        "`tokens_per_group` names {} groups, `groups` says {}", given, values.count("groups")));
  }
}

Cost ask_moe_forward(const Table& table, const Chip& chip, const Values& values) {
  MoeForward layer;
  layer.format = values.name<Format>("dtype");
  layer.tokens = values.number("tokens");
  layer.topk = values.number("topk");
  layer.experts = values.number("experts");
  layer.ranks = values.number("ep");
  layer.hidden = values.number("hidden");
  layer.inter = values.number("inter");
  layer.gated = values.flag("gated");
  layer.kernels = values.name<MoeKernels>("family");
  return moe_forward(table, chip, layer);
}

void check_moe_forward(const Values& values, std::vector<std::string>& problems) {
  if (values.number("topk") > values.number("experts")) {
    problems.push_back(fmt::format("a token cannot pick {} of {} experts (topk, experts)",
                                   values.count("topk"),
                                   values.count("experts")));
  }
}

AttentionKernels attention_kernels(const std::string& family) {
  if (family == "te") {
    return AttentionKernels::transformer_engine;
  }
  return family == "cudnn" ? AttentionKernels::cudnn : AttentionKernels::by_chip;
}

Cost ask_attention(const Table& table, const Chip& chip, const Values& values) {
  Attention shape;
  shape.format = values.name<Format>("dtype");
  shape.heads = values.number("heads");
  shape.head_dim_qk = values.number("head_dim_qk");
  shape.head_dim_v = values.number("head_dim_v");
  shape.seq = values.number("seq");
  shape.batch = values.number("batch");
  shape.causal = values.flag("causal");
  shape.window = values.number("window");
  shape.backward = values.flag("backward");
  shape.kernels = attention_kernels(values.word("family"));
  return attention(table, chip, shape);
}

Cost ask_memory_bound(const Table& table, const Chip& chip, const Values& values) {
  return memory_bound(table,
                      chip,
                      values.name<MemoryKernel>("kind"),
                      values.number("nbytes"),
                      values.number("launch_us"));
}

Inquiry grouped_gemm_inquiry() {
  return {"grouped_gemm",
          "one product for each local expert",
          {dtype(),
           {.name = "groups", .meaning = "local experts", .high = 1e5},
           {.name = "tokens_per_group",
            .kind = Kind::numbers,
            .meaning = "rows of each, or one number for each: 512,96,0",
            .low = 0},
           {.name = "n", .meaning = "columns of the result"},
           {.name = "k", .meaning = "depth"},
           {.name = "stage",
            .kind = Kind::word,
            .meaning = "of training",
            .otherwise = "fwd",
            .words = {"fwd", "dgrad", "wgrad", "bwd_grad_act", "bwd_grad_w"}},
           {.name = "family",
            .kind = Kind::word,
            .meaning = "te: a product after the other; single: one kernel over all",
            .otherwise = "te",
            .words = {"te", "single"}},
           {.name = "accumulate",
            .kind = Kind::flag,
            .meaning = "weight gradients add to their FP32 buffer",
            .otherwise = "true"},
           {.name = "quant",
            .kind = Kind::flag,
            .meaning = "with quantising its input",
            .otherwise = "false"}},
          ask_grouped_gemm,
          check_grouped_gemm};
}

Inquiry attention_inquiry() {
  return {
      "attention",
      "core attention, no projections",
      {dtype(),
       {.name = "heads", .meaning = "of queries", .high = 1e5},
       {.name = "kv_heads",
        .meaning = "heads of keys and values; changes no answer yet",
        .otherwise = "0",
        .low = 0,
        .high = 1e5},
       {.name = "head_dim_qk", .meaning = "width of a head of queries", .high = 1e5},
       {.name = "head_dim_v", .meaning = "width of a head of values", .high = 1e5},
       {.name = "seq", .meaning = "tokens of a sequence", .high = 1e9},
       {.name = "batch", .meaning = "sequences", .otherwise = "1", .high = 1e9},
       {.name = "causal", .kind = Kind::flag, .meaning = "no look ahead", .otherwise = "true"},
       {.name = "window",
        .meaning = "tokens that a token sees; 0: all",
        .otherwise = "0",
        .low = 0},
       {.name = "backward", .kind = Kind::flag, .meaning = "the gradient", .otherwise = "false"},
       {.name = "family",
        .kind = Kind::word,
        .meaning = "kernels; auto: te on Blackwell, else cudnn",
        .otherwise = "auto",
        .words = {"auto", "te", "cudnn"}}},
      ask_attention};
}

}  // namespace

std::vector<Inquiry> kernel_inquiries() {
  return {
      {"gemm",
       "a matrix product",
       {dtype(),
        {.name = "m", .meaning = "rows: tokens"},
        {.name = "n", .meaning = "columns of the result"},
        {.name = "k", .meaning = "depth"},
        {.name = "family",
         .kind = Kind::word,
         .meaning = "te: through Transformer Engine's linear layer",
         .otherwise = "torch",
         .words = {"torch", "te"}},
        {.name = "quant",
         .kind = Kind::flag,
         .meaning = "with quantising its input (8 and 4 bit)",
         .otherwise = "true"},
        {.name = "sms",
         .meaning = "SMs left to it; 0: all",
         .otherwise = "0",
         .low = 0,
         .high = 1e4}},
       ask_gemm},
      grouped_gemm_inquiry(),
      {"moe_forward",
       "an expert layer at inference: products, activation, permutation",
       {dtype(),
        tokens_of_group(),
        {.name = "topk", .meaning = "experts of a token", .high = 1e4},
        {.name = "experts", .meaning = "experts of the layer", .high = 1e6},
        {.name = "ep", .meaning = "expert-parallel ranks", .high = 1e6},
        {.name = "hidden", .meaning = "width of a token"},
        {.name = "inter", .meaning = "width of an expert"},
        {.name = "gated",
         .kind = Kind::flag,
         .meaning = "three matrices an expert, else two",
         .otherwise = "true"},
        {.name = "family",
         .kind = Kind::word,
         .meaning = "kernels",
         .otherwise = "cutlass",
         .words = words_of<MoeKernels>()}},
       ask_moe_forward,
       check_moe_forward},
      attention_inquiry(),
      {"memory_bound",
       "a kernel that waits for memory",
       {{.name = "nbytes",
         .kind = Kind::number,
         .meaning = "read and written",
         .low = 0,
         .high = 1e18},
        {.name = "kind",
         .kind = Kind::word,
         .meaning = "what it does",
         .otherwise = "elementwise",
         .words = words_of<MemoryKernel>()},
        {.name = "launch_us",
         .kind = Kind::number,
         .meaning = "launch, in us",
         .otherwise = "3",
         .low = 0,
         .high = 1e6}},
       ask_memory_bound},
  };
}

}  // namespace epwise::cost
