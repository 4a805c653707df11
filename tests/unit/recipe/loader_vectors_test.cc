// What the real loaders answered (vectors/loader.jsonl, tests/README.md), row by row: PyYAML and OmegaConf
// on YAML texts, and Megatron-Bridge's override parser on words.
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/text/source_file.h"
#include "recipe/bridge/config_tree.h"
#include "recipe/overrides/interpolation.h"
#include "recipe/overrides/overrides.h"
#include "support/evidence.h"
#include "yaml/parse.h"

namespace epwise::recipe {
namespace {

using nlohmann::json;

std::vector<json> loader_rows(const std::string& kind) {
  std::vector<json> out;
  if (!support::has_evidence("vectors/loader.jsonl")) {
    return out;
  }
  std::ifstream in(support::evidence("vectors/loader.jsonl"));
  for (std::string line; std::getline(in, line);) {
    json row = json::parse(line);
    if (row["kind"] == kind) {
      out.push_back(std::move(row));
    }
  }
  return out;
}

json number(double value) {
  if (value != value) {
    return {{"__float__", "nan"}};
  }
  if (value > 1e308 || value < -1e308) {
    return {{"__float__", value > 0 ? "inf" : "-inf"}};
  }
  return value;
}

json json_of_node(const ConfigNode& node) {
  if (node.is_mapping()) {
    json out = json::object();
    for (const ConfigNode& child : node.children) {
      out[child.name] = json_of_node(child);
    }
    return out;
  }
  if (node.is_list()) {
    json out = json::array();
    for (const ConfigNode& child : node.children) {
      out.push_back(json_of_node(child));
    }
    return out;
  }
  const expr::Value& value = node.value;
  if (value.is_unset()) {
    return nullptr;
  }
  if (const bool* truth = value.boolean()) {
    return *truth;
  }
  if (const std::int64_t* integer = value.integer()) {
    return *integer;
  }
  if (const double* real = value.real()) {
    return number(*real);
  }
  return value.text() != nullptr ? json(*value.text()) : json("unknown");
}

const Environment kEnvironment = {{"HOME", "/root"}, {"ORC_NOPE", std::nullopt}};

/// The value as the loaders gave it, or "error".
json loaded_json(const std::string& bytes,
                 yaml::Dialect dialect,
                 const std::vector<Word>& words = {}) {
  const text::SourceFile file("a.yaml", bytes);
  const yaml::Stream stream = yaml::parse(file);
  const std::set<std::string> fatal = {"yaml/syntax", "yaml/tab", "yaml/key-not-scalar"};
  for (const text::Diagnostic& each : stream.diagnostics) {
    if (fatal.count(each.rule) > 0) {
      return "error";
    }
  }
  if (!stream.readable || stream.documents.empty()) {
    return "error";
  }
  ConfigNode tree = config_tree(stream.documents.front().root, dialect);
  std::vector<text::Diagnostic> diagnostics;
  apply_overrides(tree, words, {}, diagnostics);
  interpolate(tree, kEnvironment, {}, diagnostics);
  return diagnostics.empty() ? json_of_node(tree) : json("error");
}

TEST_CASE("YAML texts read as PyYAML and OmegaConf read them") {
  const std::map<std::string, std::string> kNotModelled = {
      {"x: 2026-08-01", "a date is no value for OmegaConf: it stays a text here"},
      {"x: !!set {a, b}", "a set"},
      {"x: !!python/name:torch.bfloat16", "a Python object"},
      {"x: !!python/tuple [1,2]", "a Python object"},
      {"x: =", "the value tag"},
      {"x: <<", "the merge tag as a value"},
      {"1: a", "keys are texts here"},
      {"true: a", "keys are texts here"},
      {"null: a", "keys are texts here"},
      {"x: 1\nx: 2", "the duplicate is a finding of its own; OmegaConf refuses it"},
  };
  int compared = 0;
  for (const json& row : loader_rows("yaml")) {
    const std::string input = row["input"];
    if (kNotModelled.count(input) > 0) {
      continue;
    }
    const bool pyyaml = row["loader"].get<std::string>().substr(0, 6) == "PyYAML";
    const json wanted = row["error"].is_null() ? row["value"] : json("error");
    json got = loaded_json(input, pyyaml ? yaml::Dialect::pyyaml : yaml::Dialect::omegaconf);
    if (wanted.is_object() && wanted.contains("x") && wanted["x"].is_number_float() &&
        got.is_object()) {
      CHECK_MESSAGE(got["x"].get<double>() == doctest::Approx(wanted["x"].get<double>()), input);
    } else {
      CHECK_MESSAGE(
          got == wanted, input, " (", row["loader"].get<std::string>(), "): ", got.dump());
    }
    ++compared;
  }
  CHECK((compared == 0 || compared > 180));
}

/// The configuration that the override rows start from, as far as they tell.
constexpr const char* kBase = R"(
model:
  a: 100
  b: true
  f: 0.25
  s: text
  t: torch.bfloat16
  lst: [1, 2]
  d: {k: 1}
  cuda_graph_scope: full
  recompute_modules: null
  pipeline_model_parallel_layout: null
  params_dtype: torch.bfloat16
train: {lr: 0.1, global_batch_size: 1}
env_vars: {A: 0}
)";

/// Leaves and lists by dotted path; an empty mapping counts as a leaf.
void flatten(const json& node, const std::string& path, std::map<std::string, json>& out) {
  if (!node.is_object() || node.empty() || node.contains("_target_") ||
      node.contains("__float__")) {
    out[path] = node;
    return;
  }
  for (const auto& [name, child] : node.items()) {
    flatten(child, path.empty() ? name : path + "." + name, out);
  }
}

json changes(const json& before, const json& after) {
  std::map<std::string, json> old_values;
  std::map<std::string, json> new_values;
  flatten(before, "", old_values);
  flatten(after, "", new_values);
  json out = json::object();
  for (const auto& [path, value] : new_values) {
    const auto present = old_values.find(path);
    if (present == old_values.end() || present->second != value ||
        present->second.type() != value.type()) {
      out[path] = value;
    }
  }
  return out;
}

TEST_CASE("overrides read and apply as Megatron-Bridge's") {
  const json before = loaded_json(kBase, yaml::Dialect::omegaconf);
  int compared = 0;
  for (const json& row : loader_rows("override")) {
    const std::string input = row["input"];
    const json after = loaded_json(kBase, yaml::Dialect::omegaconf, {{input, {}}});
    if (!row["error"].is_null()) {
      CHECK_MESSAGE(after == json("error"), input, ": ", after.dump());
    } else {
      // Rows show what changed, and removals as "<absent>"; both sides lose what the other can't
      // show.
      std::map<std::string, json> wanted;
      json expected = row["value"];
      for (const auto& [path, value] : expected.items()) {
        if (value != json("<absent>")) {
          flatten(value, path, wanted);
        }
      }
      const json got = after.is_object() ? changes(before, after) : after;
      CHECK_MESSAGE(got == json(wanted), input, ": ", got.dump());
    }
    ++compared;
  }
  CHECK((compared == 0 || compared > 100));
}

}  // namespace
}  // namespace epwise::recipe
