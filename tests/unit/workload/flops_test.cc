#include "perf/workload/flops.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "perf/workload/parameters.h"
#include "support/evidence.h"

namespace {

using epwise::workload::Architecture;
using epwise::workload::FeedForward;
using epwise::workload::flops_per_token;
using epwise::workload::Layer;
using epwise::workload::Mixer;
using epwise::workload::model_parameters;
using nlohmann::json;

int number(const json& row, const char* key, int otherwise = 0) {
  const auto found = row.find(key);
  return found != row.end() && found->is_number() ? found->get<int>() : otherwise;
}

Mixer mixer_of(const std::string& attention, int layer, const json& extra) {
  if (attention == "mla") {
    return Mixer::latent;
  }
  if (attention == "gqa+gdn") {
    return (layer + 1) % number(extra, "full_attention_every") == 0 ? Mixer::attention
                                                                    : Mixer::delta_net;
  }
  if (attention == "gqa+swa") {
    return layer % 2 == 0 ? Mixer::windowed : Mixer::attention;
  }
  return Mixer::attention;
}

void read_kinds(const json& row, Architecture& model) {
  const json& extra = row["extra"];
  if (row["attention"] == "hybrid") {
    for (const auto& [letter, count] : extra["counts"].items()) {
      const Layer layer{letter == "M"   ? Mixer::mamba
                        : letter == "A" ? Mixer::attention
                                        : Mixer::none,
                        letter == "E" ? FeedForward::experts : FeedForward::none};
      model.layers.insert(model.layers.end(), count.get<std::size_t>(), layer);
    }
    const json& x = extra["mamba"];
    model.mamba = {number(x, "mamba_heads"),
                   number(x, "mamba_head_dim"),
                   number(x, "mamba_state"),
                   number(x, "mamba_groups")};
    model.prediction = {{Mixer::attention, FeedForward::none}, {Mixer::none, FeedForward::experts}};
    return;
  }
  for (int i = 0; i < number(row, "layers"); ++i) {
    const bool dense = i < number(row, "dense_layers_first_k");
    model.layers.push_back(
        {mixer_of(row["attention"], i, extra), dense ? FeedForward::dense : FeedForward::experts});
  }
  model.prediction = {model.layers.back()};
  if (extra.is_object() && extra.contains("linear")) {
    const json& x = extra["linear"];
    model.delta_net = {number(x, "key_heads"),
                       number(x, "value_heads"),
                       number(x, "key_dim"),
                       number(x, "value_dim"),
                       number(x, "conv")};
    model.attention.output_gate = extra.value("output_gate", false);
  }
  if (extra.is_object() && extra.contains("window")) {
    model.attention.window = number(extra, "window");
  }
}

Architecture architecture_of(const json& row) {
  Architecture model;
  model.hidden = number(row, "hidden");
  model.gated = row.value("gated_mlp", true);
  model.vocab = number(row, "vocab");
  model.padded_vocab = number(row, "padded_vocab_tp1");
  model.dense_ffn = number(row, "dense_ffn");
  model.attention.heads = number(row, "heads");
  model.attention.groups = number(row, "kv_groups", model.attention.heads);
  model.attention.head_dim =
      number(row, "head_dim", model.hidden / std::max(1, model.attention.heads));
  model.experts = {.count = number(row, "experts"),
                   .topk = number(row, "topk"),
                   .ffn = number(row, "moe_ffn"),
                   .shared_ffn = number(row, "shared_expert_size"),
                   .latent = number(row, "expert_latent_size")};
  model.prediction_depths = number(row, "mtp_layers_in_training");
  if (row["mla"].is_object()) {
    const json& x = row["mla"];
    model.latent = {number(x, "q_lora"),
                    number(x, "kv_lora"),
                    number(x, "qk_nope"),
                    number(x, "qk_rope"),
                    number(x, "v_head")};
  }
  read_kinds(row, model);
  return model;
}

/// Sparse attention has no published kernel figures: such models are not predicted.
bool is_predicted(const json& row) {
  const std::string attention = row.value("attention", "");
  return row.contains("flops_per_token_g") && attention != "dsv4" &&
         attention.find("dsa") == std::string::npos && attention.find("kda") == std::string::npos;
}

}  // namespace

TEST_CASE("FLOPs of a token by hand") {
  Architecture model;
  model.hidden = 8;
  model.gated = true;
  model.padded_vocab = 16;
  model.sequence = 4;
  model.attention = {.heads = 2, .groups = 1, .head_dim = 4};
  model.experts = {.count = 4, .topk = 2, .ffn = 6};
  model.layers = {{Mixer::attention, FeedForward::experts}};
  // attention 6(8(8 + 2·4) + 8·8 + 8·4) = 1344, experts 6·3·8·6·2 = 1728, logits 6·8·16 = 768
  CHECK(epwise::workload::mixer_flops(model, Mixer::attention) == 1344);
  CHECK(epwise::workload::feed_forward_flops(model, FeedForward::experts) == 1728);
  CHECK(flops_per_token(model) == 3840);
}

TEST_CASE("published FLOPs a token of every model, and its parameters") {
  if (!epwise::support::has_evidence("facts/models.jsonl")) {
    return;
  }
  std::ifstream file(epwise::support::evidence("facts/models.jsonl"));
  int models = 0;
  std::string skipped;
  for (std::string line; std::getline(file, line);) {
    const json row = json::parse(line);
    if (!is_predicted(row)) {
      skipped += " " + row.value("model", "?");
      continue;
    }
    CAPTURE(row.value("model", "?"));
    Architecture model = architecture_of(row);
    ++models;
    for (const auto& published : row["flops_per_token_g"].items()) {
      CAPTURE(published.key());
      model.sequence = std::stoi(published.key());
      CHECK(flops_per_token(model) * 1e-9 ==
            doctest::Approx(published.value().get<double>()).epsilon(0.005));
    }
    const auto parameters = model_parameters(model);
    CHECK(parameters.total * 1e-9 ==
          doctest::Approx(row["params_total_b_computed"].get<double>()).epsilon(0.005));
    CHECK(parameters.active * 1e-9 ==
          doctest::Approx(row["params_active_b_computed"].get<double>()).epsilon(0.005));
  }
  MESSAGE("sparse attention, not predicted:" << skipped);
  CHECK(models >= 20);
}
