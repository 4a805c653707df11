#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"
#include "text/source_file.h"
#include "yaml/parse.h"

namespace epwise::recipe {

/// Caller variables: what `--env` and the configuration say. A name without value is unset on
/// purpose.
using Environment = std::map<std::string, std::optional<std::string>, std::less<>>;

/// Which reader a file wants: by its top-level keys (MODEL_ARGS → mlm; sections such as
/// model/train/ddp or a `_target_` of megatron.bridge → bridge); nullopt when it looks like
/// neither.
std::optional<Framework> sniff(const text::SourceFile& file);

/// What is to be read.
struct Request {
  std::shared_ptr<const text::SourceFile>
      file;  // null pointer: words only (`epwise lint -- --num-layers 4`)
  std::shared_ptr<const yaml::Stream> stream;  // of the file, where it has been parsed before
  /// Bridge: the recipe that a file of overrides is laid over; of no concern to a whole recipe.
  std::shared_ptr<const text::SourceFile> base;
  std::optional<Framework> framework;  // forced; otherwise sniffed
  std::vector<std::string> words;      // after `--`: Hydra overrides (bridge) or flags (mlm)
  Environment environment;
  /// Of a launch script: another file that it names, by that name or seen from the script's folder;
  /// null pointer where there is none. Unset: no other file is read.
  std::function<std::shared_ptr<const text::SourceFile>(const std::string& path)> open = {};
  /// Of a file that `open` has not: nullopt where it may well be elsewhere; else there is a slip in
  /// its name, and this is the nearest name that there is, "" without one.
  std::function<std::optional<std::string>(const std::string& path)> slip = {};
  enum class Documents { each, merge } documents = Documents::each;
};

/// Every document of the file as a Recipe. `vocabulary_for` gives the tables of the framework that
/// was recognised. An unreadable or unrecognised file gives one recipe with `readable == false` and
/// the reasons in `diagnostics` (recipe/unrecognized, yaml/…). Never throws for what the text
/// holds.
std::vector<Recipe> load(const Request& request,
                         const std::function<const Vocabulary&(Framework)>& vocabulary_for);

}  // namespace epwise::recipe
