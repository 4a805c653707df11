#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "lint/knowledge.h"
#include "repair/bench.h"
#include "support/example_target.h"

namespace epwise::test {

/// The compiled rules.
inline const lint::Knowledge& all_rules() {
  static const auto table = lint::load_knowledge();
  return table;
}

/// A recipe text on the bench, with everything that the bench refers to. `words` describe the
/// target as in rule examples; `overrides` stand behind `--`. Must stay where it is.
class RecipeBench {
 public:
  RecipeBench(std::string_view text,
              std::string_view words,
              std::vector<std::string> overrides = {})
      : example_(parse_target(words)),
        bench_{all_rules(),
               example_.target,
               selection_,
               [this](recipe::Framework framework, std::string_view model_class)
                   -> const recipe::Vocabulary& { return vocabulary(framework, model_class); },
               {},
               0,
               1} {
    if (!text.empty()) {
      bench_.request.file =
          std::make_shared<const text::SourceFile>("recipe.yaml", std::string(text));
    }
    bench_.request.framework = example_.framework;
    bench_.request.environment = example_.target.environment;
    bench_.request.words = std::move(overrides);
  }

  RecipeBench(const RecipeBench&) = delete;
  RecipeBench& operator=(const RecipeBench&) = delete;

  repair::Bench& bench() { return bench_; }

  repair::Trial lint() { return bench_.lint(bench_.draft()); }

 private:
  const recipe::Vocabulary& vocabulary(recipe::Framework framework, std::string_view model_class) {
    const auto* given = example_.target.stack.find(recipe::to_string(framework));
    const auto version =
        given != nullptr && given->version ? given->version->text() : std::string();
    auto& made = vocabularies_[{framework, std::string(model_class)}];
    if (made == nullptr) {
      made = std::make_unique<recipe::Vocabulary>(recipe::Vocabulary::load(framework, version));
      if (!model_class.empty()) {
        made->use_model_class(model_class);
      }
    }
    return *made;
  }

  ExampleTarget example_;
  lint::Selection selection_;
  std::map<std::tuple<recipe::Framework, std::string>, std::unique_ptr<recipe::Vocabulary>>
      vocabularies_;
  repair::Bench bench_;
};

}  // namespace epwise::test
