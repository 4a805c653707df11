#pragma once

#include <string>
#include <vector>

#include "advise/advice.h"
#include "report/lint/writer.h"

namespace epwise::report {

/// What `epwise advise` found about one recipe.
struct AdvisedRecipe {
  std::string path;
  std::string target;  // "h100 x 16 (--hw, --gpus)"
  std::string hw;      // "h100"
  int gpus = 0;
  advise::Advice advice;
};

/// One answer to --why-not FIELD=VALUE.
struct AnsweredWhyNot {
  std::string path;
  std::string target;
  advise::WhyNot answer;
};

/// For people, in the order in which one acts: what binds, the dispatchers, SM counts, the overlap
/// ladder, and the plans, with the diff of the first (of all with -v).
std::string advise_text(const AdvisedRecipe& recipe, const Style& style);

/// {"schema": "epwise.advise/1", "wall": {"name", "share"}, "dispatchers": […], "plans": […], …}
std::string advise_json(const AdvisedRecipe& recipe);

/// For a pull request.
std::string advise_markdown(const AdvisedRecipe& recipe);

/// One self-contained page without scripts, fonts or links: plans, dispatchers, ladder, SM sweeps,
/// where the step goes, memory.
std::string advise_html(const AdvisedRecipe& recipe);

std::string why_not_text(const AnsweredWhyNot& answered, const Style& style);
std::string why_not_json(const AnsweredWhyNot& answered);

}  // namespace epwise::report
