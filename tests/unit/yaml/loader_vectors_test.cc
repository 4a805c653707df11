// What the real loaders answered (vectors/loader.jsonl, tests/README.md) against what we read.

#include <cmath>
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "support/evidence.h"
#include "yaml/parse.h"
#include "yaml/scalar.h"

namespace epwise::yaml {
namespace {

using nlohmann::json;

bool same_number(double ours, const json& theirs) {
  return theirs.is_number() && std::abs(ours - theirs.get<double>()) <= 1e-12 * std::abs(ours);
}

bool same_scalar(const Node& node, const json& theirs, Dialect dialect) {
  const Typed typed = type_scalar(node, dialect);
  if (!typed.refused.empty()) {
    return false;
  }
  switch (typed.type) {
    case ScalarType::null:
      return theirs.is_null();
    case ScalarType::boolean:
      return theirs.is_boolean() && theirs.get<bool>() == typed.boolean;
    case ScalarType::integer:
      return typed.big ? same_number(typed.real, theirs)
                       : theirs.is_number_integer() && theirs.get<std::int64_t>() == typed.integer;
    case ScalarType::real:
      if (theirs.is_object()) {  // {"__float__": "-inf"}
        const std::string word = theirs.at("__float__");
        return std::isnan(typed.real) ? word == "nan" : word == (typed.real > 0 ? "inf" : "-inf");
      }
      return theirs.is_number_float() && same_number(typed.real, theirs);
    case ScalarType::text:
      break;
  }
  return theirs.is_string() && theirs.get<std::string>() == node.scalar;
}

/// Keys of other types are written "<int>1" in the vectors.
const json* value_of(const json& mapping, const Entry& entry) {
  for (const std::string& key :
       {entry.key, "<int>" + entry.key, entry.key == "true" ? "<bool>True" : entry.key}) {
    if (mapping.contains(key)) {
      return &mapping.at(key);
    }
  }
  return nullptr;
}

bool same(const Node& node, const json& theirs, Dialect dialect) {
  if (node.is_sequence()) {
    bool equal = theirs.is_array() && theirs.size() == node.items.size();
    for (std::size_t i = 0; equal && i < node.items.size(); ++i) {
      equal = same(node.items[i], theirs[i], dialect);
    }
    return equal;
  }
  if (!node.is_mapping()) {
    return same_scalar(node, theirs, dialect);
  }
  bool equal = theirs.is_object();
  for (const Entry& entry : node.entries) {
    const json* const value = equal ? value_of(theirs, entry) : nullptr;
    equal = equal && value != nullptr && same(*node.find(entry.key), *value, dialect);
  }
  return equal;
}

/// Whether a value of the tree is one that the loader stops at.
bool has_refused(const Node& node, Dialect dialect) {
  if (!type_scalar(node, dialect).refused.empty()) {
    return true;
  }
  for (const Node& item : node.items) {
    if (has_refused(item, dialect)) {
      return true;
    }
  }
  for (const Entry& entry : node.entries) {
    if (has_refused(entry.value, dialect)) {
      return true;
    }
  }
  return false;
}

bool refused(const Stream& stream, Dialect dialect) {
  if (!stream.readable || has_refused(stream.documents.at(0).root, dialect)) {
    return true;
  }
  for (const text::Diagnostic& each : stream.diagnostics) {
    if (each.rule == "yaml/key-not-scalar" ||
        ((each.rule == "yaml/duplicate-key" || each.rule == "yaml/repeated-key") &&
         dialect == Dialect::omegaconf)) {
      return true;
    }
  }
  return false;
}

TEST_CASE("the recorded answers of the real loaders") {
  if (!support::has_evidence("vectors/loader.jsonl")) {
    return;
  }
  std::ifstream in(support::evidence("vectors/loader.jsonl"));
  int compared = 0;
  for (std::string line; std::getline(in, line);) {
    const json row = json::parse(line);
    const std::string input = row.at("input");
    // Interpolations are the recipe reader's business.
    if (row.at("kind") != "yaml" || input.find("${") != std::string::npos) {
      continue;
    }
    const Dialect dialect = row.at("loader").get<std::string>().starts_with("PyYAML")
                                ? Dialect::pyyaml
                                : Dialect::omegaconf;
    CAPTURE(input);
    CAPTURE(row.at("loader").get<std::string>());
    const text::SourceFile file("a.yaml", input);
    const Stream stream = parse(file);
    if (row.at("error").is_null()) {
      REQUIRE_FALSE(refused(stream, dialect));
      CHECK(same(stream.documents.at(0).root, row.at("value"), dialect));
    } else {
      CHECK(refused(stream, dialect));
    }
    ++compared;
  }
  CHECK(compared > 150);
}

}  // namespace
}  // namespace epwise::yaml
