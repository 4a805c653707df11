#include "recipe/models/model_config.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <utility>

#include "base/embedded/embedded.h"
#include "base/text/ascii.h"
#include "base/text/spelling.h"
#include "yaml/parse.h"

namespace epwise::recipe {
namespace {

using expr::Value;

ConfigNode model_table(std::string_view name) {
  for (const embedded::EmbeddedFile& table : embedded::model_tables()) {
    if (table.path != name) {
      continue;
    }
    const text::SourceFile file(std::string(name) + ".yaml", std::string(table.bytes));
    const yaml::Stream stream = yaml::parse(file);
    if (!stream.diagnostics.empty() || stream.documents.size() != 1) {
      throw std::logic_error("the table " + std::string(name) + " does not read");
    }
    return config_tree(stream.documents.front().root, yaml::Dialect::omegaconf);
  }
  throw std::logic_error("no table " + std::string(name));
}

const ConfigNode& names() {
  static const ConfigNode table = model_table("config_names");
  return table;
}

const ConfigNode& models() {
  static const ConfigNode table = model_table("public_models");
  return table;
}

const ConfigNode& vision_encoders() {
  static const ConfigNode table = model_table("vision_encoders");
  return table;
}

const ConfigNode& section(const ConfigNode& table, std::string_view name) {
  const ConfigNode* found = table.find(name);
  if (found == nullptr) {
    throw std::logic_error("a table of models lacks " + std::string(name));
  }
  return *found;
}

std::string word_at(const ConfigNode& node, std::string_view key) {
  const ConfigNode* found = node.find(key);
  return found == nullptr || found->value.text() == nullptr ? std::string() : *found->value.text();
}

std::optional<std::int64_t> count_at(const ConfigNode& node, std::string_view key) {
  const ConfigNode* found = node.find(key);
  const std::int64_t* number = found == nullptr ? nullptr : found->value.integer();
  return number == nullptr ? std::nullopt : std::optional(*number);
}

/// An entry over the one that it is `like`.
ConfigNode whole(const ConfigNode& table, const ConfigNode& entry) {
  const std::string base = word_at(entry, "like");
  if (base.empty()) {
    return entry;
  }
  ConfigNode all = whole(table, section(table, base));
  lay_over(all, entry);
  return all;
}

/// The language model of a vision-language model; keys next to it apply too.
ConfigNode language_model(ConfigNode values) {
  const ConfigNode* text = values.find("text_config");
  if (text == nullptr || !text->is_mapping()) {
    return values;
  }
  ConfigNode inner = *text;
  lay_over(values, std::move(inner));
  return values;
}

std::string last_component(std::string_view id) {
  while (id.ends_with('/')) {
    id.remove_suffix(1);
  }
  const std::size_t slash = id.rfind('/');
  return text::lower(slash == std::string_view::npos ? id : id.substr(slash + 1));
}

const ConfigNode* entry_named(const std::string& name) {
  const ConfigNode& all = section(models(), "models");
  const auto found = std::ranges::find_if(all.children, [&name](const ConfigNode& entry) {
    return last_component(entry.name) == name;
  });
  return found == all.children.end() ? nullptr : &*found;
}

/// The entry of a name, or of the architecture that it is a release of: an ending that names a
/// release may be taken away or exchanged, and what is left may have another one.
///   "glm-4.5-air-base-mcore" → zai-org/GLM-4.5-Air
const ConfigNode* entry_of(const std::string& name) {
  if (const ConfigNode* exact = entry_named(name)) {
    return exact;
  }
  std::vector<std::string> endings;
  for (const ConfigNode& ending : section(names(), "variants").children) {
    endings.push_back(text::lower(ending.value.to_text()));
  }
  std::ranges::stable_sort(endings, std::ranges::greater(), &std::string::size);
  for (const std::string& ending : endings) {
    if (!name.ends_with(ending) || name.size() == ending.size()) {
      continue;
    }
    const std::string stem = name.substr(0, name.size() - ending.size());
    if (const ConfigNode* found = entry_of(stem)) {
      return found;
    }
  }
  for (const std::string& ending : endings) {  // only a release of it is in the table
    if (const ConfigNode* found = entry_named(name + ending)) {
      return found;
    }
  }
  return nullptr;
}

std::string kind_of(const ConfigNode& values) {
  return word_at(values, "model_type");
}

const ConfigNode* family_of(const ModelConfig& model) {
  return section(names(), "families").find(kind_of(model.values));
}

/// moe_layer_freq from what config.json says of dense layers; nullopt: every layer has experts.
std::optional<Value::List> expert_layers(const ConfigNode& values, std::int64_t layers) {
  constexpr std::int64_t kMost = 4096;  // a list of a million layers is a slip of the pen
  if (layers < 1 || layers > kMost) {
    return std::nullopt;
  }
  std::vector<bool> expert(static_cast<std::size_t>(layers), true);
  const auto make_dense = [&expert](std::int64_t layer) {
    if (layer >= 0 && layer < static_cast<std::int64_t>(expert.size())) {
      expert[static_cast<std::size_t>(layer)] = false;
    }
  };
  const std::int64_t leading =
      std::min(count_at(values, "first_k_dense_replace").value_or(0), layers);
  for (std::int64_t layer = 0; layer < leading; ++layer) {
    make_dense(layer);
  }
  const std::int64_t step = std::max<std::int64_t>(
      1,
      count_at(values, "decoder_sparse_step")
          .value_or(count_at(values, "interleave_moe_layer_step").value_or(1)));
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    if ((layer + 1) % step != 0) {
      make_dense(layer);
    }
  }
  if (const ConfigNode* dense = values.find("mlp_only_layers")) {
    for (const ConfigNode& layer : dense->children) {
      make_dense(layer.value.integer() == nullptr ? -1 : *layer.value.integer());
    }
  }
  if (const ConfigNode* kinds = values.find("mlp_layer_types")) {
    for (std::size_t layer = 0; layer < kinds->children.size(); ++layer) {
      if (kinds->children[layer].value.to_text() == "dense") {
        make_dense(static_cast<std::int64_t>(layer));
      }
    }
  }
  if (std::ranges::all_of(expert, [](bool each) { return each; })) {
    return std::nullopt;
  }
  Value::List list;
  for (const bool each : expert) {
    list.push_back(Value::of(each ? 1 : 0));
  }
  return list;
}

/// Of the keys that a row lists, the value of the first that is there and not null.
void put_first(const ConfigNode& values,
               const ConfigNode& row,
               std::map<std::string, Value>& named) {
  for (const ConfigNode& key : row.children) {
    const ConfigNode* found = values.find(key.value.to_text());
    if (found != nullptr && !found->is_null()) {
      named.insert_or_assign(row.name, node_value(*found));
      return;
    }
  }
}

class FieldWriter {
 public:
  explicit FieldWriter(const ModelConfig& model) : values_(model.values) {
    if (const ConfigNode* family = family_of(model)) {
      for (const ConfigNode& each : whole(section(names(), "families"), *family).children) {
        if (each.name != "like") {
          fields_.insert_or_assign(each.name, node_value(each));
        }
      }
    }
    for (const ConfigNode& row : section(names(), "numbers").children) {
      put_first(values_, row, fields_);
    }
    derive();
  }

  std::map<std::string, Value> take() { return std::move(fields_); }

 private:
  std::optional<std::int64_t> number(std::string_view key) const { return count_at(values_, key); }

  void put(const std::string& field, Value value) {
    fields_.insert_or_assign(field, std::move(value));
  }

  void derive() {
    const auto hidden = number("hidden_size");
    const auto heads = number("num_attention_heads");
    if (!number("head_dim") && hidden && heads && *heads > 0) {
      put("model.kv_channels", Value::of(*hidden / *heads));
    }
    if (number("kv_lora_rank")) {
      put("model.multi_latent_attention", Value::of(true));
    }
    if (word_at(values_, "topk_method") == "noaux_tc") {
      put("model.moe_router_enable_expert_bias", Value::of(true));
    }
    if (fields_.contains("model.num_moe_experts")) {
      derive_experts();
    }
  }

  void derive_experts() {
    const auto width = number("moe_intermediate_size");
    if (!width && number("intermediate_size")) {
      put("model.moe_ffn_hidden_size", Value::of(*number("intermediate_size")));
    }
    const auto shared =
        number("n_shared_experts") ? number("n_shared_experts") : number("num_shared_experts");
    constexpr std::int64_t kMost = 1 << 24;
    if (shared && width && *shared > 0 && *shared < kMost && *width < kMost &&
        !fields_.contains("model.moe_shared_expert_intermediate_size")) {
      put("model.moe_shared_expert_intermediate_size", Value::of(*shared * *width));
    }
    // One group is no limit; the converters leave both unset.
    if (number("n_group").value_or(0) <= 1) {
      fields_.erase("model.moe_router_num_groups");
      fields_.erase("model.moe_router_group_topk");
    }
    if (const auto layers = number("num_hidden_layers")) {
      if (auto list = expert_layers(values_, *layers)) {
        put("model.moe_layer_freq", Value::of(std::move(*list)));
      }
    }
  }

  const ConfigNode& values_;
  std::map<std::string, Value> fields_;
};

}  // namespace

std::optional<ModelConfig> public_model(std::string_view id) {
  const ConfigNode* entry = entry_of(last_component(id));
  if (entry == nullptr) {
    return std::nullopt;
  }
  const ConfigNode& source = section(section(models(), "sources"), word_at(*entry, "from"));
  return ModelConfig{entry->name,
                     word_at(source, "source"),
                     word_at(source, "status"),
                     language_model(whole(section(models(), "models"), *entry))};
}

std::vector<std::string> public_model_names() {
  std::vector<std::string> all;
  for (const ConfigNode& entry : section(models(), "models").children) {
    all.push_back(entry.name);
  }
  std::ranges::sort(all);
  return all;
}

std::string similar_models(std::string_view name) {
  const std::vector<std::string> ids = public_model_names();
  const bool whole = name.find('/') != std::string_view::npos;
  std::vector<std::string_view> words;
  for (const std::string_view id : ids) {
    words.push_back(whole ? id : id.substr(id.rfind('/') + 1));  // npos + 1 is 0
  }
  return text::did_you_mean(name, words);
}

std::optional<ModelConfig> read_model_config(const text::SourceFile& file) {
  const yaml::Stream stream = yaml::parse(file);
  if (!stream.diagnostics.empty() || stream.documents.size() != 1 ||
      !stream.documents.front().root.is_mapping()) {
    return std::nullopt;
  }
  ModelConfig model{
      std::string(file.name()),
      std::string(file.name()),
      "file",
      language_model(config_tree(stream.documents.front().root, yaml::Dialect::omegaconf))};
  const bool sized = count_at(model.values, "hidden_size").has_value() &&
                     count_at(model.values, "num_attention_heads").has_value();
  return sized ? std::optional(std::move(model)) : std::nullopt;
}

std::map<std::string, Value> megatron_fields(const ModelConfig& model) {
  return FieldWriter(model).take();
}

std::map<std::string, Value> vision_facts(const ConfigNode* vision_config, std::string_view kind) {
  constexpr std::string_view kText = "_text";
  if (kind.ends_with(kText)) {
    kind.remove_suffix(kText.size());
  }
  if (vision_config == nullptr && kind.empty()) {
    return {};
  }
  const ConfigNode& kinds = section(vision_encoders(), "kinds");
  ConfigNode values;
  values.kind = ConfigNode::Kind::mapping;
  if (const ConfigNode* known = kinds.find(kind)) {
    values = whole(kinds, *known);
  }
  if (vision_config != nullptr && vision_config->is_mapping()) {
    lay_over(values, *vision_config);
  }
  std::map<std::string, Value> facts;
  for (const ConfigNode& row : section(vision_encoders(), "numbers").children) {
    put_first(values, row, facts);
  }
  if (!facts.contains("raw.vision_layers") || !facts.contains("raw.vision_hidden")) {
    return {};
  }
  const ConfigNode* split = values.find("split");
  facts.insert_or_assign("raw.vision_split", Value::of(split != nullptr));
  return facts;
}

std::map<std::string, Value> vision_facts(const ModelConfig& model) {
  return vision_facts(model.values.find("vision_config"), kind_of(model.values));
}

std::string vision_kind(std::string_view model_class) {
  const std::string_view name = model_class.substr(model_class.rfind('.') + 1);
  if (name.find('V') == std::string_view::npos) {
    return {};  // "VL", "45V": reading the table costs more than all else about a text model
  }
  for (const ConfigNode& each : section(vision_encoders(), "classes").children) {
    if (name.starts_with(each.name)) {
      return each.value.to_text();
    }
  }
  return {};
}

bool is_known_kind(const ModelConfig& model) {
  return family_of(model) != nullptr;
}

}  // namespace epwise::recipe
