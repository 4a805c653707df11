#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "base/text/spelling.h"
#include "commands/all.h"
#include "commands/why/report.h"
#include "commands/why/trace.h"
#include "session/options/target_options.h"
#include "ui/lint_options.h"
#include "ui/report_output.h"
#include "ui/single_recipe.h"

namespace epwise::cli {

namespace {

using os::UsageError;

constexpr std::string_view kAboutWhy = R"(FIELD
  A field in the syntax of the recipe (model.num_moe_experts, --num-experts), its last part
  (num_moe_experts), a value that the rules compute (d.DP), a common name for one
  (data_parallel_size, num_microbatches), or a fact about the target (gpus, te, hw.cc).
)";

[[noreturn]] void throw_unknown(const std::string& name,
                                const why::Tracer& tracer,
                                const recipe::Vocabulary& vocabulary) {
  const auto all = tracer.candidates();
  const std::vector<std::string_view> views(all.begin(), all.end());
  const auto history = vocabulary.history(name);
  const std::string version =
      fmt::format("{} {}", recipe::title(vocabulary.framework()), vocabulary.version());
  throw UsageError(
      history.empty()
          ? fmt::format("{} has no field `{}`, and no rule computes a value of that name{}",
                        version,
                        name,
                        text::did_you_mean(name, views))
          : fmt::format("{} has no field `{}`: {}", version, name, history));
}

/// Whether a section is written as a value: the name of a preset.
bool is_value(const recipe::Recipe& recipe, const std::string& section) {
  const auto* field = recipe.find(section);
  return field != nullptr && field->value.list() == nullptr;
}

/// ", for example `model.num_layers`": the first that the recipe writes.
std::string example_below(const recipe::Recipe& recipe, const std::string& section) {
  const auto first = recipe.fields.lower_bound(section + ".");
  return first == recipe.fields.end() || !first->first.starts_with(section + ".")
             ? ""
             : fmt::format(", for example `{}`", first->first);
}

ExitCode run_why(Console& console, const Arguments& arguments) {
  const auto& operands = arguments.operands;
  const bool words_only = operands.size() == 1 && !arguments.words.empty();
  if (operands.size() != 2 && !words_only) {
    throw UsageError(
        "give a value and a recipe: `epwise why data_parallel_size recipe.yaml --gpus 64`");
  }
  Workspace workspace(console.host(), given_by(arguments));
  const Analysis analysis =
      analyze_path(words_only ? "" : operands[1], arguments, console, workspace);
  const recipe::Recipe& recipe = *analysis.recipe;
  const auto& vocabulary = analysis.vocabulary();
  const why::Tracer tracer(recipe, vocabulary, *analysis.target, analysis.knowledge());
  const auto key = tracer.resolve(operands.front());
  if (key.empty()) {
    throw_unknown(operands.front(), tracer, vocabulary);
  }
  if (vocabulary.has_section(key) && recipe.sections.contains(key) &&
      key.find('.') == std::string::npos && !is_value(recipe, key)) {
    throw UsageError(fmt::format(
        "`{0}` is a section; name one of its fields{1}", key, example_below(recipe, key)));
  }
  auto trace = tracer.trace(key);
  why::judge_remainders(analysis.result, trace);
  const std::string format = arguments.text_of("--format", "text");
  console.out << (format == "json" ? report::why_json(trace, console.newer_releases())
                                   : report::why_text(trace, style_of(arguments, console)));
  return ExitCode::clean;
}

}  // namespace

Command why_command() {
  return {.name = "why",
          .usage = "why [OPTION...] FIELD FILE [-- WORD...]",
          .summary = "explain how a value of a recipe is computed",
          .examples = {{"why data_parallel_size recipe.yaml --gpus 64", "a computed value"},
                       {"why model.moe_shared_expert_overlap recipe.yaml", "a field"},
                       {"why --num-experts launch.yaml -f json", "a flag, machine-readable"}},
          .options = single_recipe_options(),
          .exits = {{ExitCode::clean, "answered, whether or not the value is known"}},
          .about = kAboutWhy,
          .operands = Completion::files,
          .takes_words = true,
          .takes_flag = true,
          .run = run_why};
}

}  // namespace epwise::cli
