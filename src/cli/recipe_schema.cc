#include "cli/recipe_schema.h"

#include <map>
#include <string_view>

#include <fmt/format.h>

#include "report/json_text.h"

namespace epwise::cli {

namespace {

using report::Json;

/// What a field's type takes, and texts with `${` in them.
Json value_schema(const recipe::FieldSpec& spec) {
  Json types = Json::array();
  switch (spec.type.kind) {
    case expr::Kind::boolean:
      types.push_back("boolean");
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
  if (spec.type.optional) {
    types.push_back("null");
  }
  types.push_back("object");  // an enumerator of a dump: {_target_: …}
  if (!spec.choices.empty() && spec.type.kind == expr::Kind::text) {
    json["examples"] = spec.choices;
  }
  if (spec.type.kind == expr::Kind::text) {
    json["type"] = std::move(types);
  } else {
    json["anyOf"] =
        Json::array({{{"type", std::move(types)}}, {{"type", "string"}, {"pattern", "\\$\\{"}}});
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
  Json json = {{"type", {"object", "null", "string"}}, {"properties", std::move(properties)}};
  json["patternProperties"] = {{"^_", Json::object()}};
  const bool free = !path.empty() && vocabulary.knows(path + ".a_key_of_nobody");
  if (!free) {
    json["additionalProperties"] = false;
  }
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
  return {{"type", "object"}, {"properties", std::move(properties)}};
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
