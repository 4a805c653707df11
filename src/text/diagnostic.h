#pragma once

#include <string>
#include <vector>

#include "text/mark.h"

namespace epwise::text {

/// A second place that belongs to a diagnostic or finding, with a few words: "first written here".
struct Label {
  Mark mark;
  std::string words;
};

/// How readers and loaders report what is wrong with a file; they return lists of these and never
/// throw for it.
///
/// `rule` is the id of a built-in rule ("yaml/duplicate-key"): a file under rules/ with `builtin:
/// true`, which holds its code, severity, why and references. The lint engine turns diagnostics
/// into findings of that rule.
struct Diagnostic {
  std::string rule;
  Mark mark;
  std::string message;  // one sentence: what is wrong, with the user's text in it; no full stop
  std::vector<Label> related = {};
  std::string help = {};  // what to do; may be empty when the rule's own fix says it
};

}  // namespace epwise::text
