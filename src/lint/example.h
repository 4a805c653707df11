#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lint/engine.h"
#include "lint/facts/target.h"
#include "lint/knowledge.h"
#include "recipe/framework.h"
#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"

/// The examples of rules: the target that their `with` names, and what linting them gives.
namespace epwise::lint {

struct ExampleTarget {
  facts::Target target;
  std::optional<recipe::Framework> framework;
};

/// Of "--hw h100 --gpus 16 --stack te=2.6.0,torch=2.9.1 --env K=V --env UNSET --framework mlm".
/// Throws os::UsageError for an option, a profile or a number that is not valid.
ExampleTarget example_target(std::string_view words, const Knowledge& knowledge);

/// Vocabularies, each read once: reading takes longer than a lint of an example.
class ExampleVocabularies {
 public:
  std::shared_ptr<const recipe::Vocabulary> of(recipe::Framework framework,
                                               const std::string& version);

 private:
  std::map<std::pair<recipe::Framework, std::string>, std::shared_ptr<const recipe::Vocabulary>>
      kept_;
};

/// A recipe text linted with everything it refers to kept alive.
struct LintedExample {
  std::shared_ptr<ExampleTarget> target;
  std::shared_ptr<const recipe::Vocabulary> vocabulary;
  std::vector<std::shared_ptr<recipe::Recipe>> recipes;
  std::vector<Result> results;  // one a document
};

/// Lints a text as the part of a whole recipe that matters. Throws as example_target does.
LintedExample lint_example(std::string_view text,
                           std::string_view words,
                           const Knowledge& knowledge,
                           ExampleVocabularies& vocabularies);

/// What a recipe's text would be called: a launch script begins with its interpreter.
inline std::string example_file_name(std::string_view text) {
  return text.starts_with("#!") ? "run.sh" : "recipe.yaml";
}

/// What an example says that the rule does: "fails", "passes" or "open".
std::string_view to_string(Example::Verdict verdict);

/// What the rule does: the same words, and what is wrong with it. `fails` means a finding of the
/// rule, on the line that ends with "# here"; no finding may name a place or a fix twice.
///   → "fails on line 2 instead of 3"
std::string outcome_of(const Rule& rule,
                       const Example& example,
                       const Knowledge& knowledge,
                       ExampleVocabularies& vocabularies);

}  // namespace epwise::lint
