#include <array>
#include <numeric>
#include <ostream>
#include <string>

#include <fmt/core.h>

#include "cli/commands/all.h"
#include "cli/lint/linting.h"
#include "cli/report_output.h"
#include "cli/target/options.h"
#include "cli/target/recipe_on_target.h"
#include "report/whatif/writer.h"
#include "whatif/answer.h"

namespace epwise::cli {

namespace {

using world::UsageError;

/// Components of the stack that have an option of their own here.
constexpr std::array<std::string_view, 8> kComponents = {
    "bridge", "mlm", "mcore", "te", "torch", "cuda", "nccl", "deepep"};

constexpr std::string_view kAbout = R"(AXES
  --hw a,b names profiles; --gpus takes 8..1024 or 8,16; the options of components take a range
  (2.6..2.14, 2.6.., ..2.14) or a list. Of a range of versions the known releases are visited and
  every version that a rule compares with; of GPUs the powers of two, the ends, and the ranks of the
  recipe's layout times powers of two. An end that names a series takes all of it: ..2.14 has 2.14.1.
  A single value is no axis but the target, as for lint.

  Each axis is varied alone, the rest of the target stays. Then the clean combination is looked for
  that differs from the target in the fewest axes; among those the nearest. Where nobody says what
  an axis stands at now, that is its newest version, the fewest GPUs that the layout fits (the most,
  where it fits none), its first profile.
)";

/// The smallest number of GPUs that both grids of parallel sizes fit; 0 when something is unknown.
int layout_ranks(const model::Facts& facts) {
  const auto product = [&](const std::vector<std::string_view>& names) -> std::int64_t {
    std::int64_t ranks = 1;
    for (const auto name : names) {
      const int slot = facts.names().find(name);
      const auto* value = slot < 0 ? nullptr : facts.value(slot).integer();
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

/// What the options say: spans, and what is left for the target.
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
        "nothing varies: give an axis, for instance --te 2.6..2.14, --hw h100,gb200 or "
        "--gpus 8..1024\n`epwise whatif --help` says what each takes");
  }
  return given;
}

std::string path_of(const Arguments& arguments) {
  if (arguments.operands.size() > 1) {
    throw UsageError("`epwise whatif` looks at one recipe");
  }
  if (arguments.operands.empty() && arguments.words.empty()) {
    throw UsageError("which recipe? `epwise whatif recipe.yaml --te 2.6..2.14`");
  }
  return arguments.operands.empty() ? "" : arguments.operands.front();
}

ExitCode run(Session& session, const Arguments& arguments) {
  const Given given = given_of(arguments);
  RecipeOnTarget recipe(session, arguments, path_of(arguments), given.target);
  const auto now = recipe.read();
  whatif::Question question{recipe.knowledge(), recipe.selection(), recipe.target(), {}, {}};
  question.fail_on = recipe.threshold().fail_on;
  question.strict = recipe.threshold().strict;
  question.read = [&recipe](const model::Target& target) {
    const auto reading = recipe.read(target);
    return whatif::Reading{reading.recipe, reading.vocabulary};
  };
  const model::Facts facts(*now.recipe,
                           now.recipe->vocabulary_or(*now.vocabulary),
                           question.target,
                           recipe.knowledge().names,
                           recipe.knowledge().derived);
  for (const auto& span : given.spans) {
    question.axes.push_back(
        whatif::make_axis(span, question.target, recipe.knowledge(), layout_ranks(facts)));
  }
  const auto answer = whatif::answer(question);
  const report::WhatifReport report{now.recipe->path,
                                    now.recipe->framework,
                                    describe(question.target, now.recipe->framework),
                                    question,
                                    answer};
  const std::string format = arguments.text_of("--format", "text");
  session.out << (format == "json" ? report::whatif_json(report)
                                   : report::whatif_text(report, style_of(arguments, session)));
  return answer.clean && answer.stuck.empty() ? ExitCode::clean : ExitCode::findings;
}

std::vector<Option> options() {
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
  return {
      .name = "whatif",
      .usage = "whatif [OPTION...] FILE [-- WORD...]",
      .summary = "say on which versions, hardware and numbers of GPUs a recipe is clean",
      .examples = {{"whatif recipe.yaml --hw h100 --gpus 64 --te 2.6..2.14",
                    "along Transformer Engine's releases"},
                   {"whatif recipe.yaml --hw h100,gb200 --gpus 8..1024",
                    "on two GPUs, at every size"},
                   {"whatif recipe.yaml --bridge 0.4.0..head --te 2.6.. -f json", "for a program"}},
      .options = options(),
      .exits =
          {{ExitCode::clean,
            "a combination is clean: the launch is not rejected, nothing at or above --fail-on"},
           {ExitCode::findings, "none is"}},
      .about = kAbout,
      .operands = Completion::files,
      .takes_words = true,
      .run = run};
}

}  // namespace epwise::cli
