#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/text/source_file.h"
#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"
#include "yaml/parse.h"

namespace epwise::recipe {

/// The name of the file whose lines are the words after `--`.
constexpr std::string_view kCommandLine = "<command line>";

/// Caller variables: from `--env` and the configuration. A name without a value is unset on
/// purpose.
using Environment = std::map<std::string, std::optional<std::string>, std::less<>>;

/// The reader for a file, by its top-level keys (MODEL_ARGS → mlm; sections such as model/train/ddp
/// or a `_target_` of megatron.bridge → bridge); nullopt if it matches neither.
std::optional<Framework> sniff(const text::SourceFile& file);

/// The input of the loader.
struct Request {
  // null pointer: words only (`epwise lint -- --num-layers 4`)
  std::shared_ptr<const text::SourceFile> file;
  std::shared_ptr<const yaml::Stream> stream;  // the parsed file, if already available
  /// Bridge: the base recipe of an override file; ignored for a complete recipe.
  std::shared_ptr<const text::SourceFile> base;
  /// config.json of the model that a trainer loads, in place of the one that the recipe names.
  std::shared_ptr<const text::SourceFile> model_config = {};
  /// The name of a public model, likewise; empty: none.
  std::string model_name = {};
  /// config.json of a model by its id, from a cache on this machine; null pointer if it has none.
  std::function<std::shared_ptr<const text::SourceFile>(const std::string& id)> cached_model = {};
  std::vector<std::string> allowed_targets = {};  // as Recipe::allowed_targets
  std::optional<Framework> framework;             // forced; otherwise detected
  std::vector<std::string> words;  // after `--`: Hydra overrides (bridge) or flags (mlm)
  Environment environment;
  /// For a launch script: opens another file that it names, by that name or relative to the
  /// script's directory; null pointer if not found. Unset: reads no other file.
  std::function<std::shared_ptr<const text::SourceFile>(const std::string& path)> open = {};
  /// For a file that `open` does not find: nullopt if it may exist elsewhere; otherwise its name is
  /// misspelt, and this is the most similar existing name, "" if there is none.
  std::function<std::optional<std::string>(const std::string& path)> slip = {};
  /// Of a file that `open` has not though something is there: why it is not read; "" otherwise.
  std::function<std::string(const std::string& path)> refused = {};
  /// Whether another YAML file of the same directory satisfies a condition. Unset: there is none.
  std::function<bool(
      const std::function<bool(const std::shared_ptr<const text::SourceFile>& file)>& condition)>
      beside = {};
  enum class Documents { each, merge } documents = Documents::each;
};

/// Every document of the file as a Recipe. `vocabulary_for` returns the tables of the detected
/// framework. An unreadable or unrecognised file gives one recipe with `readable == false` and the
/// reasons in `diagnostics` (recipe/unrecognized, yaml/…). Never throws for the contents of the
/// text.
std::vector<Recipe> load(const Request& request,
                         const std::function<const Vocabulary&(Framework)>& vocabulary_for);

}  // namespace epwise::recipe
