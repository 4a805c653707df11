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

/// The git checkout that the files stand in, for formats that name files from its root.
struct Checkout {
  std::string prefix;    // working directory seen from the root: "" or "recipes/gb200/"
  std::string uri;       // of the origin, may be empty
  std::string revision;  // full commit id, may be empty
  std::string branch;    // may be empty
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
  Checkout checkout;
};

}  // namespace epwise::report
