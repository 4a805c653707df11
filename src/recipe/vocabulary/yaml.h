#pragma once

#include <string>
#include <vector>

#include "text/diagnostic.h"
#include "text/source_file.h"

namespace epwise::recipe {

/// rules/vocabulary/bridge.yaml and mlm.yaml → the bytes that `Vocabulary::load` reads.
///
/// Reports everything that is wrong (rule id "vocabulary/invalid"): unknown keys and versions,
/// parents and held classes that do not exist, names or flags that stand twice in one version,
/// flags that set an attribute that no field has. With problems the bytes are not to be used.
std::string compile_vocabulary(const text::SourceFile& bridge,
                               const text::SourceFile& mlm,
                               std::vector<text::Diagnostic>& problems);

}  // namespace epwise::recipe
