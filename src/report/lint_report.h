#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lint/engine.h"
#include "model/target.h"
#include "recipe/recipe.h"

namespace epwise::report {

/// One linted document.
struct LintedFile {
  std::string path;  // relative to the working directory, "a.yaml#2" for a later document
  std::shared_ptr<const recipe::Recipe> recipe;
  lint::Result result;
  std::string target;  // "h100 x 16, te 2.14.0, torch 2.9.1 (--hw, --gpus, --stack)"
};

/// What `epwise lint` wants to say, before anyone chose a format.
struct LintReport {
  std::string tool_version;
  std::vector<LintedFile> files;  // by path
  const lint::Knowledge* knowledge = nullptr;
  lint::Selection selection;
  std::vector<std::string> unreadable;  // sentences, one an input
  int exit_code = 0;
  bool strict = false;
};

}  // namespace epwise::report
