#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "recipe/vocabulary/vocabulary.h"
#include "recipe/vocabulary/yaml.h"
#include "text/source_file.h"
#include "world/disk_files.h"

namespace epwise::support {

/// The vocabulary of rules/vocabulary/*.yaml as it stands in the source tree, compiled once a
/// process.
inline recipe::Vocabulary vocabulary(recipe::Framework framework,
                                     std::string_view version = "head") {
  static const std::string kTable = [] {
    const world::DiskFiles files;
    const std::string folder = "rules/vocabulary/";
    const text::SourceFile bridge(folder + "bridge.yaml", files.read(folder + "bridge.yaml"));
    const text::SourceFile mlm(folder + "mlm.yaml", files.read(folder + "mlm.yaml"));
    std::vector<text::Diagnostic> problems;
    std::string table = recipe::compile_vocabulary(bridge, mlm, problems);
    if (!problems.empty()) {
      throw std::runtime_error("rules/vocabulary: " + problems.front().message);
    }
    return table;
  }();
  return recipe::Vocabulary::load(framework, version, kTable);
}

}  // namespace epwise::support
