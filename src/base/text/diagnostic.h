#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/text/source_file.h"

namespace epwise::text {

/// A half-open byte range [begin, end) in one source file. A default-constructed mark is "nowhere".
/// The file must outlive every mark into it: a Recipe owns its files (recipe/recipe.h).
struct Mark {
  const SourceFile* file = nullptr;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool nowhere() const { return file == nullptr; }

  Position start() const { return file == nullptr ? Position{} : file->position(begin); }

  Position finish() const { return file == nullptr ? Position{} : file->position(end); }

  bool operator==(const Mark&) const = default;
};

/// A secondary location of a diagnostic or finding, with a short label: "first written here".
struct Label {
  Mark mark;
  std::string words;
};

/// How readers and loaders report problems of a file; they return lists of these and never throw
/// for them.
///
/// `rule` is the id of a built-in rule ("yaml/duplicate-key"): a file under rules/ with `builtin:
/// true`, which contains its code, severity, why and references. The lint engine turns diagnostics
/// into findings of that rule.
struct Diagnostic {
  std::string rule;
  Mark mark;
  std::string message;  // one sentence: what is wrong, with the user's text in it; no full stop
  std::vector<Label> related = {};
  std::string help = {};  // what to do; may be empty if the rule's own fix states it
};

}  // namespace epwise::text
