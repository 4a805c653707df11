#pragma once

#include <string>
#include <vector>

#include "base/text/diagnostic.h"
#include "expr/value.h"
#include "lint/rule.h"

namespace epwise::lint {

/// A location in the user's text and why it is shown.
struct Location {
  text::Mark mark;      // nowhere: the value is a default or comes from the target
  std::string pointer;  // JSON Pointer into the document: "/model/num_moe_experts"; may be empty
  std::string label;    // "default of Megatron-LM 0.19.0"
};

/// A name that the rule read, with its value and the value's source.
struct Evidence {
  /// As the user's format spells it: "model.x" or "--x"; "hw", "te", "data-parallel size".
  std::string name;
  std::string value;
  std::string origin;  // "recipe.yaml:12", "default", "--stack", "derived"
};

struct Fix {
  std::string title;
  Tier tier = Tier::performance;

  struct Edit {
    std::string field;        // user's spelling
    std::string value;        // new value as written in the file; empty: remove
    text::Mark mark;          // the present value; nowhere: to be added
    std::string name = {};    // canonical: "model.x", "env.X"
    expr::Value target = {};  // the new value, typed
    bool remove = false;      // the key is removed
  };

  std::vector<Edit> edits;  // empty: advice in words

  /// Bytes of the recipe's file to be replaced.
  struct Patch {
    text::Mark mark;
    std::string text;
  };

  std::vector<Patch> patches = {};  // of a verified fix; none if no file is edited
};

/// One defect. Created only by the lint engine.
struct Finding {
  const Rule* rule = nullptr;
  Severity severity = Severity::error;  // the rule's, unless the engine changed it
  std::string message;
  Location primary;
  std::vector<Location> related;
  std::vector<Evidence> evidence;
  std::vector<Fix> fixes;
  /// "te 2.7.0", "h200": where the recipe would be valid as it is.
  std::vector<std::string> elsewhere = {};
  /// "te counts as installed", "CUDA_DEVICE_MAX_CONNECTIONS counts as unset"
  std::vector<std::string> assumed = {};
};

/// A finding that the user accepts for now, by a comment in the recipe or a baseline.
struct Accepted {
  Finding finding;
  std::string reason;      // the reason given by the user
  text::Mark mark;         // of the comment; nowhere: from a baseline
  std::string source;      // "recipe.yaml:12", "baseline.yaml"
  std::string until = {};  // the last day on which it is accepted, "2027-03-01"; empty: any day
};

/// A rule that could not be decided.
struct Open {
  const Rule* rule = nullptr;
  std::vector<std::string> needs;  // "gpus", "hw", "stack.te", "${GBS}"
};

/// A rule that the recipe also violates, but as a consequence of another finding.
struct Explained {
  const Rule* rule = nullptr;
  const Rule* by = nullptr;
};

}  // namespace epwise::lint
