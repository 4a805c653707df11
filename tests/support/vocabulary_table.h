#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "base/os/disk_files.h"
#include "recipe/vocabulary/vocabulary.h"
#include "recipe/vocabulary/vocabulary_yaml.h"

namespace epwise::support {

/// rules/vocabulary/*.yaml compiled here and now, so that what the tests see is what stands in the
/// tables. Compiled once in a program.
inline const std::string& vocabulary_table() {
  static const std::string bytes = [] {
    const os::DiskFiles files;
    const text::SourceFile bridge("rules/vocabulary/bridge.yaml",
                                  files.read("rules/vocabulary/bridge.yaml"));
    const text::SourceFile mlm("rules/vocabulary/mlm.yaml",
                               files.read("rules/vocabulary/mlm.yaml"));
    std::vector<text::Diagnostic> problems;
    std::string table = recipe::compile_vocabulary(bridge, mlm, problems);
    if (!problems.empty()) {
      throw std::logic_error(problems.front().message);
    }
    return table;
  }();
  return bytes;
}

inline recipe::Vocabulary vocabulary(recipe::Framework framework, std::string_view version) {
  return recipe::Vocabulary::load(framework, version, vocabulary_table());
}

/// What `default_of` gives for a field that a version does not know.
inline const expr::Value kNoField = expr::Value::of("no such field");

inline expr::Value default_of(const recipe::Vocabulary& known, std::string_view name) {
  const recipe::FieldSpec* const field = known.find(name);
  return field == nullptr ? kNoField : field->default_value;
}

}  // namespace epwise::support
