/// Any bytes as a launch script: no exception, no hang, and every place lies in the text that it
/// points into. A script that names other files gets one with a few lines of each kind. A first byte of
/// 1: a script of known parts, which the bytes after it choose.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "recipe/load.h"
#include "support/fuzz_target.h"
#include "support/fuzzed_recipe.h"
#include "support/head_vocabulary.h"
#include "support/made_script.h"
#include "support/require.h"

namespace {

using epwise::recipe::Recipe;
using epwise::recipe::Request;
using epwise::support::head_vocabulary;
using epwise::support::require;
using epwise::support::require_sound;
using epwise::text::SourceFile;

std::shared_ptr<const SourceFile> another(const std::string& name) {
  if (name.ends_with(".yaml")) {
    return std::make_shared<const SourceFile>(name, "model: {num_layers: 4}\nenv_vars: {A: b}\n");
  }
  return std::make_shared<const SourceFile>(
      name, "ARGS=(--num-layers 4 --bf16)\nexport A=1\ntorchrun x.py \"${ARGS[@]}\" --swiglu\n");
}

}  // namespace

FUZZ_TARGET(launch) {
  constexpr std::size_t kMost = 1U << 13U;
  if (size > kMost) {
    return 0;
  }
  epwise::support::Choices choices(data + 1, size == 0 ? 0 : size - 1);
  Request request;
  request.file = std::make_shared<const SourceFile>(
      "fuzz.sh",
      epwise::support::is_structured(data, size)
          ? epwise::support::ScriptMaker(choices).make()
          : std::string(reinterpret_cast<const char*>(data), size));
  request.environment = {{"TP", "2"}, {"LIST", "a b"}, {"GONE", std::nullopt}};
  request.open = another;
  const auto recipes = epwise::recipe::load(request, head_vocabulary);
  require(!recipes.empty());
  for (const Recipe& recipe : recipes) {
    require_sound(recipe);
  }
  return 0;
}
