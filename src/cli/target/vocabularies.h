#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

#include "recipe/vocabulary/vocabulary.h"

namespace epwise::cli {

/// The tables of every framework version that this run needs, each made once. Safe to use from
/// several threads; what it returns stays where it is.
class Vocabularies {
 public:
  /// `version` empty: the newest known. `model_class` (Bridge): the `_target_` of the model
  /// section, whose defaults then count; may be empty.
  const recipe::Vocabulary& get(recipe::Framework framework,
                                std::string_view version,
                                std::string_view model_class = {});

 private:
  using Key = std::tuple<recipe::Framework, std::string, std::string>;

  std::mutex mutex_;
  std::map<Key, std::unique_ptr<const recipe::Vocabulary>> made_;
};

}  // namespace epwise::cli
