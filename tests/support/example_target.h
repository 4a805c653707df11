#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lint/engine.h"
#include "lint/facts/target.h"
#include "lint/knowledge.h"
#include "recipe/load.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::test {

/// "--hw h100 --gpus 16 --stack te=2.6.0,torch=2.9.1 --env K=V --env UNSET --framework mlm" as rule
/// examples write it.
struct ExampleTarget {
  facts::Target target;
  std::optional<recipe::Framework> framework;
};

/// The compiled rules, loaded once.
const lint::Knowledge& knowledge();

ExampleTarget parse_target(std::string_view words);

/// A recipe text linted with everything it refers to kept alive.
struct Linted {
  std::shared_ptr<ExampleTarget> target;
  std::shared_ptr<const recipe::Vocabulary> vocabulary;
  std::vector<std::shared_ptr<recipe::Recipe>> recipes;
  std::vector<lint::Result> results;  // one a document
};

/// What a recipe's text would be called: a launch script begins with its interpreter.
inline std::string file_name_of(std::string_view text) {
  return text.starts_with("#!") ? "run.sh" : "recipe.yaml";
}

Linted lint_text(std::string_view text, std::string_view words, const lint::Knowledge& knowledge);

}  // namespace epwise::test
