#include <array>
#include <numeric>
#include <ostream>
#include <string>

#include <fmt/core.h>

#include "commands/all.h"
#include "commands/whatif/answer.h"
#include "commands/whatif/axis.h"
#include "commands/whatif/report.h"
#include "recipe/trainers/trainer_facts.h"
#include "session/options/target_options.h"
#include "session/target/resolution.h"
#include "ui/report_output.h"
#include "ui/single_recipe.h"

namespace epwise::cli {

namespace {

using os::UsageError;

/// Components of the stack with their own option here.
constexpr std::array<std::string_view, 8> kComponents = {
    "bridge", "mlm", "mcore", "te", "torch", "cuda", "nccl", "deepep"};

constexpr std::string_view kAbout = R"(AXES
  --hw a,b lists profiles; --gpus takes 8..1024 or 8,16; the options for components take a range
  (2.6..2.14, 2.6.., ..2.14) or a list. A version range covers the known releases and every version
  that a rule compares with; a GPU range covers the powers of two, its ends, and the ranks of the
  recipe's layout times powers of two. A range end that names a series includes the whole series:
  ..2.14 includes 2.14.1. A single value is not an axis but part of the target, as for lint.

  Each axis is varied on its own, with the rest of the target fixed. Then epwise searches for the
  clean combination that differs from the target in the fewest axes, and among those the nearest. If
  the current value of an axis is not given, it is the newest version, the fewest GPUs that fit the
  layout (the most, if none fits), or the first profile.
)";

/// The smallest number of GPUs that fits both grids of parallel sizes; 0 if something is unknown.
int layout_ranks(const facts::Facts& facts) {
  const auto product = [&](const std::vector<std::string_view>& names) -> std::int64_t {
    std::int64_t ranks = 1;
    for (const auto name : names) {
      const auto slot = facts.names().find(name);
      const auto* value = slot ? facts.value(*slot).integer() : nullptr;
      constexpr std::int64_t kMost = 1 << 20;
      if (value == nullptr || *value < 1 || *value > kMost || ranks > kMost) {
        return 0;
      }
      ranks *= *value;
    }
    return ranks;
  };
  const auto dense = product({"d.TP", "d.PP", "d.CP", "d.GTP"});
  const auto experts = product({"d.ETP", "d.EP", "d.PP", "d.EGTP"});
  const auto ranks = dense == 0 || experts == 0 ? dense : std::lcm(dense, experts);
  return ranks > 0 && ranks < (1 << 24) ? static_cast<int>(ranks) : 0;
}

/// The values of the options: spans, and the remaining target.
struct Given {
  std::vector<whatif::Span> spans;
  TargetSettings target;
};

Given given_of(const Arguments& arguments) {
  Given given{{}, target_settings(arguments)};
  if (given.target.hw && whatif::is_span(given.target.hw->value)) {
    given.spans.push_back({"hw", given.target.hw->value});
    given.target.hw.reset();
  }
  if (given.target.gpus && whatif::is_span(given.target.gpus->value)) {
    given.spans.push_back({"gpus", given.target.gpus->value});
    given.target.gpus.reset();
  }
  for (const auto component : kComponents) {
    const auto setting = arguments.one(fmt::format("--{}", component));
    if (!setting) {
      continue;
    }
    if (whatif::is_span(setting->value)) {
      given.spans.push_back({std::string(component), setting->value});
    } else {
      given.target.stack.push_back(
          {fmt::format("{}={}", component, setting->value), setting->source});
    }
  }
  if (given.spans.empty()) {
    throw UsageError(
        "no axis given: pass for example --te 2.6..2.14, --hw h100,gb200 or --gpus "
        "8..1024\n`epwise whatif --help` describes them");
  }
  return given;
}

std::string path_of(const Arguments& arguments) {
  if (arguments.operands.size() > 1) {
    throw UsageError("`epwise whatif` takes one recipe");
  }
  if (arguments.operands.empty() && arguments.words.empty()) {
    throw UsageError("no recipe given: `epwise whatif recipe.yaml --te 2.6..2.14`");
  }
  return arguments.operands.empty() ? "" : arguments.operands.front();
}

/// Versions on an axis that no table knows.
void tell_newer(const whatif::Span& span, const lint::Knowledge& knowledge, Console& console) {
  for (const whatif::NamedVersion& named : whatif::named_versions(span)) {
    auto newer = session::newer_release(span.name, named.text, "--" + span.name, knowledge.tables);
    if (newer && console.remarks != nullptr) {
      newer->checked = named.visited;
      console.remarks->add(std::move(*newer));
    }
  }
}

/// Throws os::UsageError for versions of a launcher that does not run the recipe: no answer would
/// depend on them.
void check_launcher(std::string_view component, const recipe::Recipe& recipe) {
  const bool on_bridge = recipe.framework == recipe::Framework::bridge;
  const bool trained = recipe::has_trainer(recipe);
  const bool foreign =
      (component == "mlm" && (on_bridge || trained)) || (component == "bridge" && !on_bridge);
  if (foreign) {
    throw UsageError(
        fmt::format("--{}: {} does not run {}: vary {}",
                    component,
                    trained     ? recipe::trainer_name(recipe)
                    : on_bridge ? "a recipe of Megatron-Bridge"
                                : "a launch of Megatron-LM",
                    component == "mlm" ? "Megatron-LM's training script" : "Megatron-Bridge",
                    on_bridge ? "--bridge or --mcore"
                    : trained ? "--mcore"
                              : "--mlm"));
  }
}

ExitCode run_whatif(Console& console, const Arguments& arguments) {
  const Given given = given_of(arguments);
  session::Given said = given_by(arguments);
  said.targets = {given.target};
  Workspace workspace(console.host(), std::move(said));
  const Analysis recipe = analyze_path(path_of(arguments), arguments, console, workspace);
  const Threshold& threshold = recipe.document->threshold;
  whatif::Question question{recipe, *recipe.target, {}, threshold.fail_on, threshold.strict};
  for (const std::string_view component : {"bridge", "mlm"}) {
    if (arguments.one(fmt::format("--{}", component))) {
      check_launcher(component, *recipe.recipe);
    }
  }
  const facts::Facts facts = recipe.facts();
  for (const auto& span : given.spans) {
    tell_newer(span, recipe.knowledge(), console);
    question.axes.push_back(
        whatif::make_axis(span, question.target, recipe.knowledge(), layout_ranks(facts)));
  }
  const auto answer = whatif::answer(question);
  const std::string target = describe(question.target, recipe.recipe->framework);
  const report::WhatifReport report{recipe.recipe->path,
                                    recipe.recipe->framework,
                                    target,
                                    report::checked_against(recipe.result, target),
                                    question,
                                    answer};
  const std::string format = arguments.text_of("--format", "text");
  console.out << (format == "json" ? report::whatif_json(report, console.newer_releases())
                                   : report::whatif_text(report, style_of(arguments, console)));
  return answer.clean && answer.stuck.empty() ? ExitCode::clean : ExitCode::findings;
}

std::vector<Option> whatif_options() {
  std::vector<Option> result = single_recipe_options();
  for (Option& option : result) {
    if (option.name == "--hw") {
      option.value = "NAME[,NAME]";
    } else if (option.name == "--gpus") {
      option.value = "N|N..M";
    }
  }
  constexpr std::array<std::string_view, kComponents.size()> kNames = {
      "--bridge", "--mlm", "--mcore", "--te", "--torch", "--cuda", "--nccl", "--deepep"};
  constexpr std::array<std::string_view, kComponents.size()> kTitles = {
      "versions of Megatron-Bridge",
      "versions of Megatron-LM",
      "versions of Megatron-Core",
      "versions of Transformer Engine",
      "versions of PyTorch",
      "versions of CUDA",
      "versions of NCCL",
      "versions of DeepEP"};
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    result.push_back({.name = kNames[i],
                      .arity = Option::Arity::one,
                      .value = "V..V",
                      .summary = kTitles[i],
                      .brief = kNames[i] == "--te"});
  }
  return result;
}

}  // namespace

Command whatif_command() {
  return {.name = "whatif",
          .usage = "whatif [OPTION...] FILE [-- WORD...]",
          .summary = "find the versions, hardware and GPU counts on which a recipe is clean",
          .examples = {{"whatif recipe.yaml --hw h100 --gpus 64 --te 2.6..2.14",
                        "along Transformer Engine's releases"},
                       {"whatif recipe.yaml --hw h100,gb200 --gpus 8..1024",
                        "on two kinds of GPU, at every size"},
                       {"whatif recipe.yaml --bridge 0.4.0..head --te 2.6.. -f json",
                        "machine-readable output"}},
          .options = whatif_options(),
          .exits = {{ExitCode::clean,
                     "a combination is clean: the launch is not rejected, and there are no "
                     "findings at or above --fail-on"},
                    {ExitCode::findings, "no combination is clean"}},
          .about = kAbout,
          .operands = Completion::files,
          .takes_words = true,
          .run = run_whatif};
}

}  // namespace epwise::cli
