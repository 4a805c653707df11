#include "cli/target/options.h"

#include <algorithm>
#include <iterator>

#include <fmt/core.h>

#include "model/target.h"
#include "world/files.h"

namespace epwise::cli {

std::vector<Option> target_options() {
  using enum Option::Arity;
  return {
      {.name = "--framework",
       .arity = one,
       .value = "NAME",
       .summary = "bridge (Megatron-Bridge) or mlm (Megatron-LM); recognised by the keys otherwise",
       .variable = "EPWISE_FRAMEWORK",
       .words = {"bridge", "mlm"},
       .completion = Completion::words},
      {.name = "--hw",
       .arity = one,
       .value = "NAME",
       .summary = "GPU it runs on: a profile (`epwise hw list`), or auto for this machine",
       .variable = "EPWISE_HW",
       .completion = Completion::profiles,
       .brief = true},
      {.name = "--gpus",
       .arity = one,
       .value = "N",
       .summary = "number of GPUs of the whole job (the world size)",
       .variable = "EPWISE_GPUS",
       .brief = true},
      {.name = "--stack",
       .arity = many,
       .value = "LIST",
       .summary =
           "software: te=2.14.0,torch=2.9.1,...; a released container (nemo-26.06); auto for "
           "what is installed here",
       .variable = "EPWISE_STACK",
       .brief = true},
      {.name = "--env",
       .arity = many,
       .value = "K=V",
       .summary = "environment variable of the job; K alone: known to be unset",
       .variable = "EPWISE_ENV",
       .separator = ' '},
      {.name = "--purpose",
       .arity = one,
       .value = "WHAT",
       .summary =
           "what the run is for, which some advice depends on: training, benchmark, bring-up "
           "or comparison",
       .variable = "EPWISE_PURPOSE",
       .words = {model::kPurposes.begin(), model::kPurposes.end()},
       .completion = Completion::words},
      {.name = "--harness",
       .arity = many,
       .value = "K=V",
       .summary = "option of Megatron-Bridge's performance harness, when it launches the recipe",
       .variable = "EPWISE_HARNESS"},
      {.name = "--base",
       .arity = one,
       .value = "FILE",
       .summary =
           "recipe that files of overrides are laid over: the dump of a whole ConfigContainer",
       .variable = "EPWISE_BASE",
       .completion = Completion::files},
  };
}

namespace {

/// A target can't be two things: the last of several words is no better than the first.
void check_said_once(const Arguments& arguments) {
  for (const std::string_view option : {"--hw", "--gpus", "--framework", "--purpose", "--base"}) {
    const std::vector<Setting> said = arguments.all(option);
    for (const Setting& setting : said) {
      if (setting.source == said.front().source && setting.value != said.front().value) {
        throw world::UsageError(fmt::format("{}: `{}` and `{}` contradict each other; name one",
                                            option,
                                            said.front().value,
                                            setting.value));
      }
    }
  }
}

}  // namespace

TargetSettings target_settings(const Arguments& arguments) {
  check_said_once(arguments);
  TargetSettings settings;
  settings.hw = arguments.one("--hw");
  settings.gpus = arguments.one("--gpus");
  settings.framework = arguments.one("--framework");
  for (const Setting& list : arguments.all("--stack")) {
    std::ranges::move(split_list(list), std::back_inserter(settings.stack));
  }
  settings.environment = arguments.all("--env");
  settings.inputs = arguments.all("--input");
  settings.purpose = arguments.one("--purpose");
  settings.harness = arguments.all("--harness");
  settings.base = arguments.one("--base");
  return settings;
}

}  // namespace epwise::cli
