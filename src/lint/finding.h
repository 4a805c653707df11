#pragma once

#include <string>
#include <vector>

#include "expr/value.h"
#include "lint/rule.h"
#include "text/mark.h"

namespace epwise::lint {

/// A place in the user's text and why it is shown.
struct Location {
  text::Mark mark;      // nowhere: the value is a default or comes from the target
  std::string pointer;  // JSON Pointer into the document: "/model/num_moe_experts"; may be empty
  std::string label;    // "default of Megatron-LM 0.19.0"
};

/// A name that the rule read, with its value and where that came from.
struct Evidence {
  std::string
      name;  // as the user's format spells it: "model.x" or "--x"; "hw", "te", "data-parallel size"
  std::string value;
  std::string origin;  // "recipe.yaml:12", "default", "--stack", "derived"
};

struct Fix {
  std::string title;
  Tier tier = Tier::performance;

  struct Edit {
    std::string field;        // user's spelling
    std::string value;        // new value as the file would write it; empty: remove
    text::Mark mark;          // the present value; nowhere: to be added
    std::string name = {};    // canonical: "model.x", "env.X"
    expr::Value target = {};  // the new value, typed
    bool remove = false;      // the key goes
  };

  std::vector<Edit> edits;  // empty: advice in words

  /// Bytes of the recipe's file that make place for others.
  struct Patch {
    text::Mark mark;
    std::string text;
  };

  std::vector<Patch> patches = {};  // of a fix that was tried; none where no file is edited
};

/// One defect. Built only by the lint engine.
struct Finding {
  const Rule* rule = nullptr;
  Severity severity = Severity::error;  // the rule's, unless the engine changed it
  std::string message;
  Location primary;
  std::vector<Location> related;
  std::vector<Evidence> evidence;
  std::vector<Fix> fixes;
  std::vector<std::string> elsewhere =
      {};  // "te 2.7.0", "h200": where the recipe would do as it is
  std::vector<std::string>
      assumed;  // "te counts as installed", "CUDA_DEVICE_MAX_CONNECTIONS counts as unset"
  bool consequence = false;  // explained by another finding; not shown
};

/// A finding that the user lives with for now: a comment in the recipe or a baseline says so.
struct Accepted {
  Finding finding;
  std::string reason;  // the user's words
  text::Mark mark;     // of the comment; nowhere: a baseline's
  std::string source;  // "recipe.yaml:12", "baseline.yaml"
};

/// A rule that could not be decided.
struct Open {
  const Rule* rule = nullptr;
  std::vector<std::string> needs;  // "gpus", "hw", "stack.te", "${GBS}"
};

/// A rule that the recipe breaks too, but because of what another one found.
struct Explained {
  const Rule* rule = nullptr;
  const Rule* by = nullptr;
};

}  // namespace epwise::lint
