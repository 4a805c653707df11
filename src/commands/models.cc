#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/os/regular_files.h"
#include "base/text/ascii.h"
#include "base/text/source_file.h"
#include "commands/all.h"
#include "expr/value.h"
#include "recipe/models/model_config.h"
#include "session/options/arguments.h"
#include "ui/command.h"
#include "ui/document.h"
#include "ui/json.h"
#include "yaml/parse.h"

namespace epwise::cli {

namespace {

using os::UsageError;
using recipe::ModelConfig;

constexpr std::string_view kAboutModels = R"(MODELS
  The model that a script of verl, NeMo-RL, ms-swift, ROLL or slime names decides the shapes that
  Megatron trains. A model is looked for in this order: --model-config FILE; the config.json in the
  folder that the script names; this table, by the id on the Hugging Face hub or the last part of a
  path; the cache of the Hugging Face hub on this machine (HF_HUB_CACHE, HF_HOME).

  `show` prints the values that Megatron gets. It also takes the path of a config.json.
)";

/// "published: config.json as published, 2026-08-21"
std::string origin_of(const ModelConfig& model) {
  return fmt::format("{}: {}", model.status, model.source);
}

ModelConfig model_named(const Console& console, const std::string& name) {
  const std::string file = console.files.is_directory(name) ? name + "/config.json" : name;
  if (console.files.is_file(file)) {
    const text::SourceFile config(file,
                                  os::read_regular(console.files, file, yaml::Limits{}.bytes));
    if (auto model = recipe::read_model_config(config)) {
      return *model;
    }
    throw UsageError(fmt::format("{} is not the config.json of a model", file));
  }
  if (auto model = recipe::public_model(name)) {
    return *model;
  }
  throw UsageError(fmt::format(
      "unknown model `{}`{} (see `epwise models list`)", name, recipe::similar_models(name)));
}

ExitCode list_models(Console& console, const Arguments& arguments) {
  const bool json = arguments.text_of("--format", "text") == "json";
  report::Json models = report::Json::array();
  std::vector<std::pair<std::string, std::string>> rows;
  for (const std::string& name : recipe::public_model_names()) {
    const bool wanted = std::all_of(
        arguments.operands.begin() + 1, arguments.operands.end(), [&name](const std::string& part) {
          return text::lower(name).find(text::lower(part)) != std::string::npos;
        });
    if (!wanted) {
      continue;
    }
    const ModelConfig model = *recipe::public_model(name);
    models.push_back({{"name", name}, {"status", model.status}, {"source", model.source}});
    rows.emplace_back(name, model.status);
  }
  console.out << (json ? report::json_text({{"schema", "epwise.models/1"}, {"models", models}})
                       : two_columns(rows, 0, text_width(console.terminal, console.variables)));
  return ExitCode::clean;
}

ExitCode show_model(Console& console, const Arguments& arguments) {
  if (arguments.operands.size() != 2) {
    throw UsageError("give one model: `epwise models show Qwen/Qwen3-30B-A3B`");
  }
  const ModelConfig model = model_named(console, arguments.operands[1]);
  const std::map<std::string, expr::Value> fields = recipe::megatron_fields(model);
  if (arguments.text_of("--format", "text") == "json") {
    report::Json values = report::Json::object();
    for (const auto& [field, value] : fields) {
      values[field] = value.to_text();
    }
    console.out << report::json_text({{"schema", "epwise.models/1"},
                                      {"models",
                                       {{{"name", model.name},
                                         {"status", model.status},
                                         {"source", model.source},
                                         {"fields", values}}}}});
    return ExitCode::clean;
  }
  console.out << fmt::format("# {}\n# {}\nmodel:\n", model.name, origin_of(model));
  for (const auto& [field, value] : fields) {
    constexpr std::string_view kModel = "model.";
    const std::string_view name = field;
    console.out << fmt::format("  {}: {}\n",
                               name.starts_with(kModel) ? name.substr(kModel.size()) : name,
                               value.to_text());
  }
  return ExitCode::clean;
}

ExitCode run_models(Console& console, const Arguments& arguments) {
  return arguments.operands.front() == "list" ? list_models(console, arguments)
                                              : show_model(console, arguments);
}

}  // namespace

Command models_command() {
  return {.name = "models",
          .usage = "models list [TEXT...] | models show NAME",
          .summary = "list the public models that trainers' scripts may name, or show one",
          .examples = {{"models list qwen3", "the models with it in their name"},
                       {"models show Qwen/Qwen3-30B-A3B", "what Megatron makes of it"},
                       {"models show checkpoints/ours/config.json", "the same for a file"}},
          .options = {format_option()},
          .actions = {"list", "show"},
          .about = kAboutModels,
          .run = run_models};
}

}  // namespace epwise::cli
