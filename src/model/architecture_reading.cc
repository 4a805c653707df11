#include "model/architecture_reading.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/core.h>

#include "model/vocabulary_size.h"

namespace epwise::model {

namespace {

/// "every n-th layer is the other kind" as a number, or one entry a layer as a list.
bool follows(const expr::Value& frequency, int layer, bool otherwise) {
  if (frequency.list() != nullptr) {
    const auto& list = *frequency.list();
    const auto index = static_cast<std::size_t>(layer);
    return index < list.size() ? list[index].is_known() && list[index].truthy() : otherwise;
  }
  if (frequency.is_known() && frequency.is_number() && frequency.as_number() >= 1) {
    return (layer + 1) % clamped(frequency.as_number()) != 0;
  }
  return otherwise;
}

int positive_or(const FieldReader& reader, std::string_view name, int otherwise) {
  const auto found = reader.integer(name);
  return found && *found > 0 ? *found : otherwise;
}

GroupedAttention read_attention(FieldReader& reader, int hidden) {
  GroupedAttention attention;
  attention.heads = reader.required("model.num_attention_heads", "the number of attention heads");
  attention.groups = positive_or(reader, "model.num_query_groups", attention.heads);
  attention.head_dim =
      positive_or(reader, "model.kv_channels", hidden / std::max(1, attention.heads));
  attention.output_gate = reader.flag("model.attention_output_gate");
  const auto window = reader.value("model.window_size");
  if (window.list() != nullptr && !window.list()->empty() && window.list()->front().is_number()) {
    attention.window = std::max(0, clamped(window.list()->front().as_number()) + 1);
  } else if (window.is_known() && window.is_number()) {
    attention.window = std::max(0, clamped(window.as_number()));
  }
  const auto softmax = reader.text("model.softmax_type");
  attention.learnable_softmax =
      softmax && reader.is_written("model.softmax_type")
          ? *softmax == "learnable"
          : attention.window > 0 && reader.is_set("model.window_attn_skip_freq");
  return attention;
}

LatentAttention read_latent(FieldReader& reader) {
  LatentAttention latent;
  latent.query_rank = positive_or(reader, "model.q_lora_rank", 0);
  latent.key_value_rank = reader.required("model.kv_lora_rank", "the rank of keys and values");
  latent.head_dim = reader.required("model.qk_head_dim", "the head dimension of latent attention");
  latent.rotary_dim =
      reader.required("model.qk_pos_emb_head_dim", "the rotary part of a latent head");
  latent.value_dim = reader.required("model.v_head_dim", "the value dimension of latent attention");
  return latent;
}

DeltaNet read_delta_net(FieldReader& reader) {
  DeltaNet net;
  net.key_heads = reader.required("model.linear_num_key_heads", "the key heads of the delta net");
  net.value_heads =
      reader.required("model.linear_num_value_heads", "the value heads of the delta net");
  net.key_dim = reader.required("model.linear_key_head_dim", "the key dimension of the delta net");
  net.value_dim =
      reader.required("model.linear_value_head_dim", "the value dimension of the delta net");
  net.convolution = positive_or(reader, "model.linear_conv_kernel_dim", 4);
  return net;
}

Mamba read_mamba(FieldReader& reader, int hidden) {
  Mamba mamba;
  mamba.head_dim = reader.required("model.mamba_head_dim", "the head dimension of Mamba");
  // Without a number of heads, the inner width is twice the hidden size.
  mamba.heads =
      reader.integer("model.mamba_num_heads").value_or(2 * hidden / std::max(1, mamba.head_dim));
  mamba.state = reader.required("model.mamba_state_dim", "the state dimension of Mamba");
  mamba.groups = reader.required("model.mamba_num_groups", "the groups of Mamba");
  return mamba;
}

Experts read_experts(FieldReader& reader) {
  Experts experts;
  experts.count = reader.integer("model.num_moe_experts").value_or(0);
  if (experts.count <= 0) {
    return {};
  }
  experts.topk = std::min(experts.count, positive_or(reader, "model.moe_router_topk", 1));
  experts.ffn = positive_or(reader, "model.moe_ffn_hidden_size", 0);
  if (experts.ffn == 0) {
    experts.ffn = reader.required("model.ffn_hidden_size", "the width of an expert");
  }
  experts.shared_ffn = positive_or(reader, "model.moe_shared_expert_intermediate_size", 0);
  experts.latent = positive_or(reader, "model.moe_latent_size", 0);
  experts.shared_gate = experts.shared_ffn > 0 && reader.flag("model.moe_shared_expert_gate");
  experts.limit_groups = positive_or(reader, "model.moe_router_num_groups", 0);
  experts.limit_kept = positive_or(reader, "model.moe_router_group_topk", 0);
  return experts;
}

std::vector<Layer> pattern_layers(FieldReader& reader, std::string_view pattern) {
  std::vector<Layer> layers;
  for (const char letter : pattern) {
    switch (letter) {
      case 'M':
        layers.push_back({Mixer::mamba, FeedForward::none});
        break;
      case '*':
        layers.push_back({Mixer::attention, FeedForward::none});
        break;
      case 'G':
        layers.push_back({Mixer::delta_net, FeedForward::none});
        break;
      case '-':
        layers.push_back({Mixer::none, FeedForward::dense});
        break;
      case 'E':
        layers.push_back({Mixer::none, FeedForward::experts});
        break;
      case '|':
        break;
      default:
        reader.problem(
            fmt::format("the hybrid pattern has a layer `{}` that has no figures", letter),
            "only M, *, G, - and E can be predicted");
    }
  }
  return layers;
}

std::vector<Layer> uniform_layers(FieldReader& reader, const Architecture& model) {
  constexpr int kMostLayers = 100'000;
  const int count = reader.required("model.num_layers", "the number of layers");
  if (count > kMostLayers) {
    reader.problem(fmt::format("{} layers are more than can be predicted", count),
                   fmt::format("correct {}", reader.spelled("model.num_layers")));
    return {};
  }
  const auto expert_frequency = reader.value("d.layer_pattern");
  const auto window_frequency = reader.value("model.window_attn_skip_freq");
  const auto linear_frequency = reader.value("model.linear_attention_freq");
  const bool latent = reader.flag("model.multi_latent_attention");
  const bool delta = reader.flag("d.delta_net");
  std::vector<Layer> layers;
  for (int i = 0; i < count; ++i) {
    Layer layer;
    layer.mixer = latent ? Mixer::latent : Mixer::attention;
    if (delta && follows(linear_frequency, i, false)) {
      layer.mixer = Mixer::delta_net;
    } else if (!latent && model.attention.window > 0 && follows(window_frequency, i, true)) {
      layer.mixer = Mixer::windowed;
    }
    const bool experts = model.experts.count > 0 && follows(expert_frequency, i, true);
    layer.feed_forward = experts ? FeedForward::experts : FeedForward::dense;
    layers.push_back(layer);
  }
  return layers;
}

/// Prediction repeats a layer of the last kind that attends to everything.
std::vector<Layer> prediction_layers(const std::vector<Layer>& layers) {
  if (layers.empty()) {
    return {};
  }
  Layer layer = layers.back();
  if (layer.mixer == Mixer::windowed || layer.mixer == Mixer::delta_net) {
    layer.mixer = Mixer::attention;
  }
  return {layer};
}

/// Sparse attention has no published figures, and a guess would look like a prediction.
void refuse_unknown_mixers(FieldReader& reader) {
  const auto variant = reader.text("d.attention_variant");
  if (variant && !variant->empty() && *variant != "none" && !reader.flag("d.delta_net")) {
    reader.problem(
        fmt::format("attention of the kind `{}` has no figures to predict with", *variant),
        "only softmax, latent, sliding-window and delta-net attention and Mamba-2 have");
  }
}

void read_layers(FieldReader& reader, Architecture& model) {
  refuse_unknown_mixers(reader);
  model.prediction_depths = std::min(1000, positive_or(reader, "model.mtp_num_layers", 0));
  const auto pattern = reader.text("d.hybrid_pattern");
  if (!pattern || pattern->empty()) {
    model.layers = uniform_layers(reader, model);
    model.prediction = prediction_layers(model.layers);
    return;
  }
  const auto slash = pattern->find('/');
  model.layers = pattern_layers(reader, std::string_view(*pattern).substr(0, slash));
  if (slash != std::string::npos) {
    const auto rest = std::string_view(*pattern).substr(slash + 1);
    model.prediction = pattern_layers(reader, rest.substr(0, rest.find('/')));
  } else {
    model.prediction = {{Mixer::attention, FeedForward::none}, {Mixer::none, FeedForward::experts}};
  }
}

bool has(const Architecture& model, Mixer mixer) {
  return std::ranges::find(model.layers, mixer, &Layer::mixer) != model.layers.end() ||
         std::ranges::find(model.prediction, mixer, &Layer::mixer) != model.prediction.end();
}

/// A Bridge file of overrides leaves the choice to a library recipe; large MoE models don't tie.
bool read_tied(const FieldReader& reader) {
  constexpr std::string_view kName = "model.share_embeddings_and_output_weights";
  const auto& recipe = reader.facts().recipe();
  const bool decided = recipe.framework == recipe::Framework::mlm || !recipe.model_class.empty() ||
                       reader.is_written(kName);
  return decided && reader.flag(kName);
}

int read_sequence(FieldReader& reader) {
  for (const auto* name : {"model.seq_length", "dataset.sequence_length", "dataset.seq_length"}) {
    if (const auto found = reader.integer(name); found && *found > 0) {
      return *found;
    }
  }
  return reader.required("model.seq_length", "the sequence length");
}

}  // namespace

Architecture read_architecture(FieldReader& reader, int tensor) {
  Architecture model;
  model.hidden = reader.required("model.hidden_size", "the hidden size");
  model.sequence = read_sequence(reader);
  model.gated = reader.flag("d.gated");
  model.dense_ffn = std::max(0, reader.integer("model.ffn_hidden_size").value_or(0));
  model.vocab = read_vocabulary_size(reader).tokens;
  const double multiple =
      std::max(1.0, reader.number("model.make_vocab_size_divisible_by").value_or(128)) *
      std::max(1, tensor);
  model.padded_vocab = clamped(std::ceil(model.vocab / multiple) * multiple);
  model.tied_embeddings = read_tied(reader);
  model.attention = read_attention(reader, model.hidden);
  model.experts = read_experts(reader);
  read_layers(reader, model);
  if (has(model, Mixer::latent)) {
    model.latent = read_latent(reader);
  }
  if (has(model, Mixer::delta_net)) {
    model.delta_net = read_delta_net(reader);
  }
  if (has(model, Mixer::mamba)) {
    model.mamba = read_mamba(reader, model.hidden);
  }
  const bool dense = std::ranges::find(model.layers, FeedForward::dense, &Layer::feed_forward) !=
                     model.layers.end();
  if (dense && model.dense_ffn <= 0) {
    model.dense_ffn = reader.required("model.ffn_hidden_size", "the width of a dense layer");
  }
  return model;
}

}  // namespace epwise::model
