#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/whatif/points.h"
#include "support/analyzed_recipe.h"

namespace epwise::test {

/// A recipe on a target with some axes, and what the question refers to.
struct AskedRecipe {
  std::string text;
  std::shared_ptr<session::Document> document;
  session::Analysis base;
  whatif::Question question;

  AskedRecipe(std::string recipe,
              std::string_view words,
              const std::vector<whatif::Span>& spans,
              int layout = 0)
      : text(std::move(recipe)),
        document(document_of(text, words)),
        base(analysis_of(document)),
        question{base, *base.target, {}} {
    for (const auto& span : spans) {
      question.axes.push_back(whatif::make_axis(span, question.target, base.knowledge(), layout));
    }
  }

  AskedRecipe(const AskedRecipe&) = delete;
  AskedRecipe& operator=(const AskedRecipe&) = delete;
};

}  // namespace epwise::test
