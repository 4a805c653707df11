#include "session/options/target_options.h"

#include <algorithm>
#include <iterator>

#include <fmt/core.h>

#include "base/os/files.h"
#include "lint/facts/target.h"

namespace epwise::session {

namespace {

/// Framework, machine and software, and what the run is for.
std::vector<Option> machine_options() {
  using enum Option::Arity;
  return {
      {.name = "--framework",
       .arity = one,
       .value = "NAME",
       .summary =
           "bridge (Megatron-Bridge) or mlm (Megatron-LM); by default detected from the keys",
       .variable = "EPWISE_FRAMEWORK",
       .words = {"bridge", "mlm"},
       .completion = Completion::words},
      {.name = "--hw",
       .arity = one,
       .value = "NAME|FILE",
       .summary = "target GPU: a profile (`epwise hw list`), a file with one, or auto for this "
                  "machine",
       .variable = "EPWISE_HW",
       .completion = Completion::profiles,
       .brief = true},
      {.name = "--gpus",
       .arity = one,
       .value = "N",
       .summary = "number of GPUs of the job (world size)",
       .variable = "EPWISE_GPUS",
       .brief = true},
      {.name = "--stack",
       .arity = many,
       .value = "LIST",
       .summary = "software: te=2.14.0,torch=2.9.1,...; a released container (nemo-26.06); auto "
                  "for the software installed here",
       .variable = "EPWISE_STACK",
       .brief = true},
      {.name = "--env",
       .arity = many,
       .value = "K=V",
       .summary = "environment variable of the job; K alone: unset",
       .variable = "EPWISE_ENV",
       .separator = ' '},
      {.name = "--purpose",
       .arity = one,
       .value = "WHAT",
       .summary = "purpose of the run, which affects some advice: training, benchmark, bring-up, "
                  "comparison, tuning or production",
       .variable = "EPWISE_PURPOSE",
       .words = {facts::kPurposes.begin(), facts::kPurposes.end()},
       .completion = Completion::words},
      {.name = "--harness",
       .arity = many,
       .value = "K=V",
       .summary = "option of Megatron-Bridge's performance harness, when it launches the recipe",
       .variable = "EPWISE_HARNESS"},
  };
}

/// What a recipe rests on that is not in its own file.
std::vector<Option> outside_options() {
  using enum Option::Arity;
  return {
      {.name = "--base",
       .arity = one,
       .value = "FILE",
       .summary = "base recipe for overrides: the dump of a complete ConfigContainer, or the "
                  "name of a recipe of Megatron-Bridge (epwise recipes list)",
       .variable = "EPWISE_BASE",
       .completion = Completion::files},
      {.name = "--allow-target",
       .arity = many,
       .value = "PREFIX",
       .summary = "prefix of targets that the program registers with Megatron-Bridge "
                  "(register_allowed_target_prefix)",
       .variable = "EPWISE_ALLOW_TARGET"},
      {.name = "--model-config",
       .arity = one,
       .value = "FILE",
       .summary = "the model that a trainer loads (verl, NeMo-RL, ms-swift, ...): its config.json, "
                  "a folder "
                  "with it, or a public model's name (epwise models list)",
       .variable = "EPWISE_MODEL_CONFIG",
       .completion = Completion::files},
  };
}

}  // namespace

std::vector<Option> target_options() {
  std::vector<Option> options = machine_options();
  const std::vector<Option> more = outside_options();
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

TargetSettings target_settings(const Arguments& arguments) {
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
  for (const Setting& list : arguments.all("--allow-target")) {
    std::ranges::move(split_list(list), std::back_inserter(settings.allowed_targets));
  }
  settings.base = arguments.one("--base");
  settings.model_config = arguments.one("--model-config");
  return settings;
}

}  // namespace epwise::session
