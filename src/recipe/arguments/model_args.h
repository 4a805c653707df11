#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"
#include "recipe/arguments/arguments.h"
#include "recipe/load.h"
#include "recipe/recipe.h"
#include "yaml/node.h"

namespace epwise::recipe {

/// The launcher that turns MODEL_ARGS into words.
enum class Launcher : std::uint8_t {
  functional,  // Megatron-LM's functional tests: `false` is passed on, "[a b]" is two words, "a b"
               // is one
  modelzoo,    // Megatron-MoE-ModelZoo: `false` drops the flag, values are split at blanks
};

std::string_view to_string(Launcher launcher);  // "functional", "modelzoo"

/// ModelZoo recipes contain only ENV_VARS and MODEL_ARGS, and take sizes from variables (${TP},
/// ${GBS}, …).
Launcher launcher_of(const yaml::Node& root);

/// A MODEL_ARGS document as its launcher passes it on.
struct ModelArgs {
  Launcher launcher = Launcher::functional;
  std::vector<Word> words;
  std::map<std::string, Variable, std::less<>> variables;  // ENV_VARS
  // recipe/unset-variable, recipe/quote, recipe/list-commas, recipe/list-lines, …
  std::vector<text::Diagnostic> diagnostics;
  // for a program with its own flags ("inference", "rl", "multimodal"), otherwise ""
  std::string program;
  // why it contains no flags at all ("MODEL_ARGS is not a mapping"), otherwise ""
  std::string problem;
};

/// Reads MODEL_ARGS and ENV_VARS of a document. `${X}` is taken from the environment first, then
/// (functional tests) from the recipe's own ENV_VARS.
///   MODEL_ARGS: {--num-experts: "${NEXP}", --swiglu: true}    with NEXP=8 → --num-experts 8
///   --swiglu
ModelArgs read_model_args(const yaml::Node& root, const Environment& environment);

/// Splits a text at blanks like a POSIX shell, removing quotes and backslashes; nullopt if a quote
/// is not closed or a backslash is last.
///   shell_words("a 'b c' d\\ e") → {"a", "b c", "d e"}
std::optional<std::vector<std::string>> shell_words(std::string_view text);

/// The known value of a variable: its text, unset on purpose, or unknown (nullopt).
struct Binding {
  std::optional<std::string> text;  // nullopt: unset on purpose
};

using Bindings = std::function<std::optional<Binding>(std::string_view name)>;

/// A text after substituting its variables.
struct Substituted {
  std::string text;  // what could not be substituted is kept as written
  bool changed = false;
  // "${X}": used without a default, and its value is unknown
  std::vector<std::string> needs = {};
  // names used without a default although they are unset on purpose
  std::vector<std::string> unset = {};
};

/// Substitutes $X, ${X}, ${X:-x}, ${X-x}, ${X:=x}, ${X=x}, ${X:+x} and ${X+x}, also nested, like a
/// shell. A variable that is not mentioned anywhere is unset, so its default applies; without a
/// default its text is unknown.
///   substitute("${TP}/${EP:-8}", TP=2) → "2/8"
Substituted substitute(std::string_view text, const Bindings& bindings);

}  // namespace epwise::recipe
