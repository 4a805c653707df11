#include "commands/schema/recipe_schema.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "ui/json.h"

namespace epwise::cli {

namespace {

using report::Json;

/// Their declared words are incomplete: upstream's own recipes use `none` and `completion`.
constexpr std::array<std::string_view, 2> kOpenWords = {"model.position_embedding_type",
                                                        "dataset.preprocessing.loss_mode"};

/// The values of a field's type, and texts containing `${`. Bridge's loader checks no types, and
/// its own dumps contain null in every kind of field, counts for declared booleans
/// (train.manual_gc_eval: 100), and one-boolean lists caused by a stray comma.
Json value_schema(const recipe::FieldSpec& spec) {
  Json types = Json::array();
  switch (spec.type.kind) {
    case expr::Kind::boolean:
      types.push_back("boolean");
      types.push_back("integer");
      break;
    case expr::Kind::integer:
      types.push_back("integer");
      break;
    case expr::Kind::real:
      types.push_back("number");
      break;
    case expr::Kind::text:
      types.push_back("string");
      break;
    case expr::Kind::list:
    case expr::Kind::any:
    case expr::Kind::version:
      break;
  }
  Json json = Json::object();
  if (types.empty()) {
    return json;
  }
  types.push_back("null");
  types.push_back("object");  // an enumerator of a dump: {_target_: …}
  const bool text = spec.type.kind == expr::Kind::text;
  const bool open =
      spec.choices.empty() || std::ranges::find(kOpenWords, spec.name) != kOpenWords.end();
  if (text && open) {
    json["type"] = std::move(types);
    if (!spec.choices.empty()) {
      json["examples"] = spec.choices;
    }
  } else {
    if (text) {
      types.erase(0);
    }
    json["anyOf"] =
        Json::array({{{"type", std::move(types)}}, {{"type", "string"}, {"pattern", "\\$\\{"}}});
    if (text) {
      json["anyOf"].insert(json["anyOf"].begin(), Json::object({{"enum", spec.choices}}));
    }
    if (spec.type.kind == expr::Kind::boolean) {
      json["anyOf"].push_back(
          {{"type", "array"}, {"items", {{"type", "boolean"}}}, {"maxItems", 1}});
    }
  }
  return json;
}

void add_default(const recipe::FieldSpec& spec, Json& json) {
  const expr::Value& value = spec.default_value;
  if (!spec.has_default || value.is_unknown()) {
    return;
  }
  if (const auto* boolean = value.boolean()) {
    json["default"] = *boolean;
  } else if (const auto* integer = value.integer()) {
    json["default"] = *integer;
  } else if (const auto* real = value.real()) {
    json["default"] = *real;
  } else if (const auto* text = value.text()) {
    json["default"] = *text;
  }
}

/// Fields by the keys that lead to them.
struct Branch {
  const recipe::FieldSpec* spec = nullptr;
  std::map<std::string, Branch, std::less<>> below;
};

/// No keys except `properties`, unless the object has a third-party class, whose fields are
/// unknown.
void close(const std::vector<std::string_view>& classes, const Json& properties, Json& json) {
  if (classes.empty()) {
    json["additionalProperties"] = false;
    return;
  }
  Json names = Json::array();
  for (const auto& [name, below] : properties.items()) {
    names.push_back(name);
  }
  const Json of_others = {{"required", {"_target_"}},
                          {"properties", {{"_target_", {{"not", {{"enum", classes}}}}}}}};
  json["if"] = of_others;
  json["then"] = true;
  json["else"] = {
      {"propertyNames", {{"anyOf", Json::array({{{"enum", names}}, {{"pattern", "^_"}}})}}}};
}

Json branch_schema(const Branch& branch,
                   const std::string& path,
                   const recipe::Vocabulary& vocabulary) {
  if (branch.below.empty()) {
    Json json = branch.spec == nullptr ? Json::object() : value_schema(*branch.spec);
    if (branch.spec != nullptr) {
      add_default(*branch.spec, json);
    }
    return json;
  }
  Json properties = Json::object();
  for (const auto& [name, child] : branch.below) {
    properties[name] =
        branch_schema(child, path.empty() ? name : fmt::format("{}.{}", path, name), vocabulary);
  }
  const bool free = !path.empty() && vocabulary.knows(path + ".a_key_of_nobody");
  Json json = {{"type", {"object", "null", "string"}}};
  if (!free) {
    close(vocabulary.classes_of(path), properties, json);
  }
  json["properties"] = std::move(properties);
  json["patternProperties"] = {{"^_", Json::object()}};
  return json;
}

Json bridge_schema(const recipe::Vocabulary& vocabulary) {
  Branch root;
  for (const recipe::FieldSpec& spec : vocabulary.fields()) {
    Branch* at = &root;
    std::string_view path = spec.name;
    while (!path.empty()) {
      const std::size_t dot = path.find('.');
      at = &at->below[std::string(path.substr(0, dot))];
      path.remove_prefix(dot == std::string_view::npos ? path.size() : dot + 1);
    }
    at->spec = &spec;
  }
  // Newer models keep the transformer's fields one level deeper.
  Json json = branch_schema(root, "", vocabulary);
  json["type"] = "object";
  json["additionalProperties"] = {{"type", "object"}, {"required", {"_target_"}}};
  json["properties"]["model"]["properties"]["transformer"] = {{"type", {"object", "null"}}};
  return json;
}

Json flags_schema(const recipe::Vocabulary& vocabulary) {
  Json properties = Json::object();
  for (const recipe::Flag& flag : vocabulary.flags()) {
    for (const std::string_view spelling : flag.spellings) {
      properties[std::string(spelling)] = Json::object();
    }
  }
  return {{"type", {"object", "null"}}, {"properties", std::move(properties)}};
}

}  // namespace

std::string recipe_schema(const recipe::Vocabulary& bridge, const recipe::Vocabulary& mlm) {
  const Json json = {
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"title",
       fmt::format(
           "a recipe of Megatron-Bridge {} or Megatron-LM {}", bridge.version(), mlm.version())},
      {"type", "object"},
      {"if", {{"required", {"MODEL_ARGS"}}}},
      {"then", {{"properties", {{"MODEL_ARGS", flags_schema(mlm)}}}}},
      {"else", bridge_schema(bridge)}};
  return report::json_text(json);
}

}  // namespace epwise::cli
