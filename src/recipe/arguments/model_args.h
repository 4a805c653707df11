#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "recipe/arguments/word.h"
#include "recipe/load.h"
#include "recipe/recipe.h"
#include "text/diagnostic.h"
#include "yaml/node.h"

namespace epwise::recipe {

/// Who turns MODEL_ARGS into words.
enum class Launcher : std::uint8_t {
  functional,  // Megatron-LM's functional tests: `false` is passed on, "[a b]" is two words, "a b"
               // is one
  modelzoo,    // Megatron-MoE-ModelZoo: `false` drops the flag, values are split at blanks
};

std::string_view to_string(Launcher launcher);  // "functional", "modelzoo"

/// ModelZoo recipes hold nothing but ENV_VARS and MODEL_ARGS, and take sizes from its variables
/// (${TP}, ${GBS}, …).
Launcher launcher_of(const yaml::Node& root);

/// A MODEL_ARGS document as its launcher passes it on.
struct ModelArgs {
  Launcher launcher = Launcher::functional;
  std::vector<Word> words;
  std::map<std::string, Variable, std::less<>> variables;  // ENV_VARS
  std::vector<text::Diagnostic>
      diagnostics;  // recipe/unset-variable, recipe/quote, recipe/list-commas, recipe/list-lines, …
  std::string
      program;  // of a program with flags of its own ("inference", "rl", "multimodal"), else ""
  std::string problem;  // why it holds no flags at all ("MODEL_ARGS is no mapping"), else ""
};

/// Reads MODEL_ARGS and ENV_VARS of a document. `${X}` is bound by the environment first, then
/// (functional tests) by the recipe's own ENV_VARS.
///   MODEL_ARGS: {--num-experts: "${NEXP}", --swiglu: true}    with NEXP=8 → --num-experts 8
///   --swiglu
ModelArgs read_model_args(const yaml::Node& root, const Environment& environment);

}  // namespace epwise::recipe
