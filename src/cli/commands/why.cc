#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "cli/commands/all.h"
#include "cli/lint/options.h"
#include "cli/report_output.h"
#include "cli/target/options.h"
#include "cli/target/recipe_on_target.h"
#include "report/why/writer.h"
#include "text/spelling.h"
#include "why/trace.h"

namespace epwise::cli {

namespace {

using world::UsageError;

constexpr std::string_view kAbout = R"(FIELD
  A field as the recipe's format writes it (model.num_moe_experts, --num-experts), its last part
  alone (num_moe_experts), a value that the rules compute (d.DP), a plain name for one
  (data_parallel_size, num_microbatches), or a fact of the target (gpus, te, hw.cc).
)";

[[noreturn]] void throw_unknown(const std::string& name,
                                const why::Tracer& tracer,
                                const recipe::Vocabulary& vocabulary) {
  const auto all = tracer.candidates();
  const std::vector<std::string_view> views(all.begin(), all.end());
  const auto history = vocabulary.history(name);
  const std::string version =
      fmt::format("{} {}", recipe::title(vocabulary.framework()), vocabulary.version());
  throw UsageError(history.empty()
                       ? fmt::format("{} has no field `{}`, and no rule computes such a value{}",
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

/// ", `model.num_layers` for instance": the first that the recipe writes.
std::string example_below(const recipe::Recipe& recipe, const std::string& section) {
  const auto first = recipe.fields.lower_bound(section + ".");
  return first == recipe.fields.end() || !first->first.starts_with(section + ".")
             ? ""
             : fmt::format(", `{}` for instance", first->first);
}

ExitCode run(Session& session, const Arguments& arguments) {
  const auto& operands = arguments.operands;
  const bool words_only = operands.size() == 1 && !arguments.words.empty();
  if (operands.size() != 2 && !words_only) {
    throw UsageError(
        "which value of which recipe? `epwise why data_parallel_size recipe.yaml --gpus 64`");
  }
  RecipeOnTarget recipe(
      session, arguments, words_only ? "" : operands[1], target_settings(arguments));
  const auto reading = recipe.read();
  const auto& vocabulary = reading.recipe->vocabulary_or(*reading.vocabulary);
  const why::Tracer tracer(*reading.recipe, vocabulary, recipe.target(), recipe.knowledge());
  const auto key = tracer.resolve(operands.front());
  if (key.empty()) {
    throw_unknown(operands.front(), tracer, vocabulary);
  }
  if (vocabulary.has_section(key) && reading.recipe->sections.contains(key) &&
      key.find('.') == std::string::npos && !is_value(*reading.recipe, key)) {
    throw UsageError(fmt::format(
        "`{0}` is a section: name a field of it{1}", key, example_below(*reading.recipe, key)));
  }
  const auto trace = tracer.trace(key);
  const std::string format = arguments.text_of("--format", "text");
  session.out << (format == "json" ? report::why_json(trace)
                                   : report::why_text(trace, style_of(arguments, session)));
  return ExitCode::clean;
}

}  // namespace

Command why_command() {
  return {.name = "why",
          .usage = "why [OPTION...] FIELD FILE [-- WORD...]",
          .summary = "say how a value of a recipe came about",
          .examples = {{"why data_parallel_size recipe.yaml --gpus 64", "a computed value"},
                       {"why model.moe_shared_expert_overlap recipe.yaml", "a field"},
                       {"why --num-experts launch.yaml -f json", "a flag, for a program"}},
          .options = single_recipe_options(),
          .exits = {{ExitCode::clean, "told, whether the value is known or not"}},
          .about = kAbout,
          .operands = Completion::files,
          .takes_words = true,
          .takes_flag = true,
          .run = run};
}

}  // namespace epwise::cli
