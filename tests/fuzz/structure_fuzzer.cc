/// Recipes made of known words: the bytes choose fields, flags, values, overrides and lines of scripts, and a call. What must hold:
/// the call ends with an answer or a UsageError, the same question has the same answer, and what `fix` writes starts no better fix
/// of its own.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "library/epwise.h"
#include "recipe/vocabulary/vocabulary.h"
#include "support/choices.h"
#include "support/fuzz_target.h"
#include "support/require.h"

namespace {

using epwise::support::Choices;
using epwise::support::kValues;
using epwise::support::require;

constexpr std::array<std::string_view, 10> kWorlds = {
    "", "1", "2", "8", "16", "64", "256", "0", "-4", "16777216"};

const epwise::recipe::Vocabulary& vocabulary(epwise::recipe::Framework framework) {
  using epwise::recipe::Framework;
  using epwise::recipe::Vocabulary;
  static const Vocabulary bridge = Vocabulary::load(Framework::bridge, "");
  static const Vocabulary mlm = Vocabulary::load(Framework::mlm, "");
  return framework == Framework::bridge ? bridge : mlm;
}

/// What most recipes hold, so that rules behind the first ones are reached.
constexpr std::string_view kWidths =
    "num_layers: 4\n  hidden_size: 1024\n  num_attention_heads: 16\n  num_moe_experts: 8\n";

std::string sections_text(Choices& choices) {
  std::string text = choices.below(4) == 0 ? "" : "model:\n  " + std::string(kWidths);
  const auto& fields = vocabulary(epwise::recipe::Framework::bridge).fields();
  for (int row = 0; row < 12 && !choices.done(); ++row) {
    const std::string name(choices.of(fields).name);
    const std::size_t dot = name.find('.');
    const std::string value(choices.of(kValues));
    if (dot == std::string::npos) {
      text += name + ": " + value + "\n";
    } else if (name.starts_with("model.") && text.starts_with("model:") && row < 6) {
      text.insert(7, "  " + name.substr(dot + 1) + ": " + value + "\n");
    } else {
      text += name.substr(0, dot) + ": {" + name.substr(dot + 1) + ": " + value + "}\n";
    }
  }
  return text;
}

std::vector<std::string> flag_words(Choices& choices) {
  std::vector<std::string> words = {
      "--num-layers", "4", "--hidden-size", "1024", "--num-experts", "8"};
  if (choices.below(4) == 0) {
    words.clear();
  }
  const auto& flags = vocabulary(epwise::recipe::Framework::mlm).flags();
  for (int row = 0; row < 12 && !choices.done(); ++row) {
    words.emplace_back(choices.of(flags).spellings.front());
    if (choices.below(3) != 0) {
      words.emplace_back(choices.of(kValues));
    }
  }
  return words;
}

std::string script_text(Choices& choices) {
  constexpr std::array<std::string_view, 8> kLines = {
      "EP=8",
      "export CUDA_DEVICE_MAX_CONNECTIONS=1",
      "if [ $EP -gt 4 ]; then",
      "fi",
      "for x in 1 2; do",
      "done",
      "ARGS=(--bf16 --expert-model-parallel-size $EP)",
      "#SBATCH --nodes=2 --gpus-per-node=8"};
  std::string text = "#!/bin/bash\n";
  for (std::size_t lines = choices.below(6); lines > 0; --lines) {
    text += std::string(choices.of(kLines)) + "\n";
  }
  text += "torchrun --nproc-per-node " + std::string(choices.of(kWorlds)) + " pretrain_gpt.py";
  for (const std::string& word : flag_words(choices)) {
    text += choices.below(5) == 0 ? " '" + word + "'" : " " + word;
  }
  return text + " \"${ARGS[@]}\"\n";
}

std::string manifest_text(Choices& choices) {
  std::string text =
      "apiVersion: v1\nkind: PyTorchJob\nspec:\n  replicas: " + std::string(choices.of(kValues)) +
      "\n  containers:\n  - command: [bash, -c]\n    args:\n    - |\n";
  const std::string script = script_text(choices);
  for (std::size_t at = 0; at < script.size();) {
    const std::size_t end = script.find('\n', at);
    text += "      " + script.substr(at, end - at + 1);
    at = end + 1;
  }
  return text + "    resources: {limits: {nvidia.com/gpu: " + std::string(choices.of(kValues)) +
         "}}\n";
}

epwise::Recipe made_recipe(Choices& choices) {
  epwise::Recipe recipe;
  switch (choices.below(5)) {
    case 0:
      recipe.name = "fuzz.sh";
      recipe.text = script_text(choices);
      break;
    case 1:
      recipe.words = flag_words(choices);
      break;
    case 2:
      recipe.name = "job.yaml";
      recipe.text = manifest_text(choices);
      break;
    default:
      recipe.name = "fuzz.yaml";
      recipe.text = sections_text(choices);
      while (!choices.done() && recipe.words.size() < 4) {
        const auto& fields = vocabulary(epwise::recipe::Framework::bridge).fields();
        const std::string name(choices.of(fields).name);
        recipe.words.push_back(name + "=" + std::string(choices.of(kValues)));
      }
      break;
  }
  return recipe;
}

void ask(const epwise::Session& session, const epwise::Recipe& recipe, std::size_t what) {
  if (what == 0) {
    require(session.simulate(recipe, true).json.starts_with("{"));
  } else if (what == 1) {
    const epwise::FixResult fixed = session.fix(recipe, epwise::Tier::training);
    epwise::Recipe again = recipe;
    if (recipe.text) {
      again.text = fixed.text;
    }
    again.words = fixed.words;
    if (fixed.changed && !fixed.bounded && recipe.words.empty()) {
      require(session.fix(again, epwise::Tier::training).text == fixed.text);
    }
  } else {
    const epwise::LintResult result = session.lint(recipe);
    require(result.json == session.lint(recipe).json);
    for (const epwise::Finding& finding : result.findings) {
      require(!finding.message.empty() && !finding.code.empty());
    }
  }
}

/// One session for each machine: reading the rules takes longer than most recipes.
const epwise::Session& session_for(Choices& choices) {
  constexpr std::array<std::string_view, 4> kMachines = {"", "h100", "gb200", "h100"};
  constexpr std::array<int, 4> kGpus = {0, 8, 64, 12};
  const auto machine = choices.of(kMachines);
  const int gpus = choices.of(kGpus);
  static std::map<std::pair<std::string_view, int>, std::unique_ptr<epwise::Session>> sessions;
  auto& session = sessions[{machine, gpus}];
  if (session == nullptr) {
    epwise::Options options;
    options.configuration = "none";
    options.today = "2026-11-24";
    options.hw = machine;
    if (gpus > 0) {
      options.gpus = gpus;
    }
    session = std::make_unique<epwise::Session>(options);
  }
  return *session;
}

}  // namespace

FUZZ_TARGET(structure) {
  constexpr std::size_t kMost = 256;
  Choices choices(data, std::min(size, kMost));
  epwise::support::count_structured();
  const epwise::Session& session = session_for(choices);
  const std::size_t what = choices.below(8);
  try {
    ask(session, made_recipe(choices), what);
  } catch (const epwise::InternalError&) {
    throw;
  } catch (const epwise::Error&) {
    return 0;  // a recipe that cannot be read
  }
  return 0;
}
