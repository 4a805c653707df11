/// Any bytes as a launch script: no exception, no hang, and every place lies in the text that it
/// points into. A script that names other files gets one with a few lines of each kind.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "data/embedded.h"
#include "recipe/load.h"
#include "recipe/vocabulary/vocabulary.h"

namespace {

using epwise::recipe::Framework;
using epwise::recipe::Recipe;
using epwise::recipe::Request;
using epwise::recipe::Vocabulary;
using epwise::text::Mark;
using epwise::text::SourceFile;

const Vocabulary& vocabulary_for(Framework framework) {
  static const Vocabulary kBridge =
      Vocabulary::load(Framework::bridge, "head", epwise::data::compiled_vocabulary());
  static const Vocabulary kMegatron =
      Vocabulary::load(Framework::mlm, "head", epwise::data::compiled_vocabulary());
  return framework == Framework::bridge ? kBridge : kMegatron;
}

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

bool is_inside(const Mark& mark) {
  return mark.nowhere() || (mark.begin <= mark.end && mark.end <= mark.file->bytes().size());
}

void check(const Recipe& recipe) {
  require(recipe.readable || !recipe.diagnostics.empty());
  require(is_inside(recipe.root));
  for (const auto& diagnostic : recipe.diagnostics) {
    require(is_inside(diagnostic.mark) && !diagnostic.rule.empty() && !diagnostic.message.empty());
  }
  for (const auto& [name, field] : recipe.fields) {
    require(is_inside(field.key) && is_inside(field.mark) && field.name == name);
  }
  for (const auto& [name, variable] : recipe.variables) {
    require(is_inside(variable.key) && is_inside(variable.mark));
  }
  for (const auto& [name, section] : recipe.sections) {
    require(is_inside(section));
  }
}

std::shared_ptr<const SourceFile> another(const std::string& name) {
  if (name.ends_with(".yaml")) {
    return std::make_shared<const SourceFile>(name, "model: {num_layers: 4}\nenv_vars: {A: b}\n");
  }
  return std::make_shared<const SourceFile>(
      name, "ARGS=(--num-layers 4 --bf16)\nexport A=1\ntorchrun x.py \"${ARGS[@]}\" --swiglu\n");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMost = 1U << 16U;
  if (size > kMost) {
    return 0;
  }
  Request request;
  request.file = std::make_shared<const SourceFile>(
      "fuzz.sh", std::string(reinterpret_cast<const char*>(data), size));
  request.environment = {{"TP", "2"}, {"LIST", "a b"}, {"GONE", std::nullopt}};
  request.open = another;
  const auto recipes = epwise::recipe::load(request, vocabulary_for);
  require(!recipes.empty());
  for (const Recipe& recipe : recipes) {
    check(recipe);
  }
  return 0;
}
