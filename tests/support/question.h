#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lint/knowledge.h"
#include "support/example_target.h"
#include "whatif/bench.h"

namespace epwise::test {

/// A recipe on a target with some axes, and what it needs to live.
struct AskedRecipe {
  std::string text;
  lint::Selection selection;
  std::vector<Linted> kept;
  whatif::Question question;

  AskedRecipe(std::string recipe,
              std::string_view words,
              const std::vector<whatif::Span>& spans,
              const lint::Knowledge& knowledge,
              int layout = 0)
      : text(std::move(recipe)),
        question{knowledge, selection, parse_target(words).target, {}, {}} {
    question.read = [this](const model::Target& target) { return read(target); };
    for (const auto& span : spans) {
      question.axes.push_back(whatif::make_axis(span, question.target, knowledge, layout));
    }
  }

  AskedRecipe(const AskedRecipe&) = delete;
  AskedRecipe& operator=(const AskedRecipe&) = delete;

 private:
  whatif::Reading read(const model::Target& target) {
    std::string words;
    for (const std::string_view name : {"bridge", "mlm"}) {
      const auto* component = target.stack.find(name);
      if (component != nullptr && component->version) {
        words += "--stack " + std::string(name) + "=" + component->version->text() + " ";
      }
    }
    kept.push_back(lint_text(text, words, question.knowledge));
    return {kept.back().recipes.front(), kept.back().vocabulary.get()};
  }
};

}  // namespace epwise::test
