#include "advise/known_model.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "recipe/models/model_config.h"
#include "yaml/reader.h"

namespace epwise::advise {

namespace {

class KnownModelReader {
 public:
  explicit KnownModelReader(std::vector<text::Diagnostic>& problems) : problems_(problems) {}

  KnownModel model(const yaml::Node& node) {
    KnownModel model;
    yaml::MapReader in(node, "a model", problems_);
    model.name = in.required_text("name");
    model.source = in.required_text("source");
    model.total = in.number("total").value_or(0);
    model.active = in.number("active").value_or(0);
    if (const yaml::Node* sizes = in.mapping("sizes")) {
      yaml::MapReader one(*sizes, "sizes of a model", problems_);
      model.layers = needed(one, "layers");
      model.hidden = needed(one, "hidden");
      model.heads = needed(one, "heads");
      model.groups = size(one, "groups");
      model.head = size(one, "head");
      model.experts = needed(one, "experts");
      model.topk = needed(one, "topk");
      model.ffn = needed(one, "ffn");
      model.shared = size(one, "shared");
      model.vocabulary = needed(one, "vocabulary");
      one.finish();
    } else {
      in.problem(node.mark, "a model has no `sizes`");
    }
    if (const yaml::Node* dense = in.mapping("dense")) {
      yaml::MapReader one(*dense, "dense layers", problems_);
      model.dense_layers = needed(one, "layers");
      model.dense_ffn = needed(one, "ffn");
      one.finish();
    }
    if (const yaml::Node* latent = in.mapping("latent")) {
      yaml::MapReader one(*latent, "latent attention", problems_);
      model.latent.query = size(one, "query");
      model.latent.key_value = needed(one, "key_value");
      model.latent.head = needed(one, "head");
      model.latent.rotary = needed(one, "rotary");
      model.latent.value = needed(one, "value");
      one.finish();
    }
    in.finish();
    return model;
  }

 private:
  static int size(yaml::MapReader& in, std::string_view key) {
    constexpr std::int64_t kMost = 10'000'000;
    return static_cast<int>(std::clamp<std::int64_t>(in.integer(key).value_or(0), 0, kMost));
  }

  static int needed(yaml::MapReader& in, std::string_view key) {
    const yaml::Node* node = in.required(key);
    const int found = size(in, key);
    if (node != nullptr && found <= 0) {
      in.problem(node->mark, fmt::format("{} must be a number above 0", key));
    }
    return found;
  }

  std::vector<text::Diagnostic>& problems_;
};

}  // namespace

std::vector<KnownModel> read_models(const text::SourceFile& file,
                                    std::vector<text::Diagnostic>& problems) {
  std::vector<KnownModel> models;
  KnownModelReader reader(problems);
  yaml::read_rows(file, "models", "models", problems, [&](const yaml::Node& row) {
    models.push_back(reader.model(row));
  });
  return models;
}

std::optional<KnownModel> public_known_model(std::string_view id) {
  const auto config = recipe::public_model(id);
  if (!config) {
    return std::nullopt;
  }
  const std::map<std::string, expr::Value> fields = recipe::megatron_fields(*config);
  const auto value = [&](std::string_view name) {
    const auto found = fields.find(fmt::format("model.{}", name));
    return found == fields.end() ? expr::Value::unset() : found->second;
  };
  const auto size = [&](std::string_view name) {
    const expr::Value found = value(name);
    const auto number = found.integer();
    return number == nullptr ? 0 : static_cast<int>(*number);
  };
  KnownModel model;
  model.name = text::lower(config->name.substr(config->name.rfind('/') + 1));  // npos + 1 is 0
  model.source = config->name;
  model.layers = size("num_layers");
  model.hidden = size("hidden_size");
  model.heads = size("num_attention_heads");
  model.groups = size("num_query_groups");
  model.head = size("kv_channels");
  model.experts = size("num_moe_experts");
  model.topk = size("moe_router_topk");
  model.ffn = size("moe_ffn_hidden_size");
  model.shared = size("moe_shared_expert_intermediate_size");
  model.vocabulary = size("vocab_size");
  if (const expr::Value frequency = value("moe_layer_freq"); frequency.list() != nullptr) {
    const auto is_dense = [](const expr::Value& layer) { return !layer.truthy(); };
    model.dense_layers = static_cast<int>(std::ranges::count_if(*frequency.list(), is_dense));
    model.dense_ffn = model.dense_layers > 0 ? size("ffn_hidden_size") : 0;
  }
  if (value("multi_latent_attention").truthy()) {
    model.head = 0;
    model.groups = 0;
    model.latent = {size("q_lora_rank"),
                    size("kv_lora_rank"),
                    size("qk_head_dim"),
                    size("qk_pos_emb_head_dim"),
                    size("v_head_dim")};
  }
  const bool whole = model.layers > 0 && model.hidden > 0 && model.heads > 0 && model.experts > 0 &&
                     model.topk > 0 && model.ffn > 0 && model.vocabulary > 0;
  return whole ? std::optional(std::move(model)) : std::nullopt;
}

double parameters_of(const KnownModel& model) {
  const double hidden = model.hidden;
  const double heads = model.heads;
  const LatentSizes& latent = model.latent;
  double attention = 0;
  if (latent.key_value > 0) {
    const double wide = heads * (latent.head + latent.rotary);
    attention += latent.query > 0 ? latent.query * (hidden + wide) : hidden * wide;
    attention += hidden * (latent.key_value + latent.rotary);
    attention += latent.key_value * heads * (latent.head + latent.value);
    attention += heads * latent.value * hidden;
  } else {
    const double head = model.head > 0 ? model.head : hidden / heads;
    const double groups = model.groups > 0 ? model.groups : heads;
    attention = 2 * hidden * head * (heads + groups);
  }
  constexpr double kGated = 3;  // matrices of a gated block
  const double experts =
      kGated * hidden * (static_cast<double>(model.experts) * model.ffn + model.shared) +
      hidden * model.experts;
  const double dense = kGated * hidden * model.dense_ffn;
  return model.layers * attention + (model.layers - model.dense_layers) * experts +
         model.dense_layers * dense + 2 * hidden * model.vocabulary;
}

}  // namespace epwise::advise
