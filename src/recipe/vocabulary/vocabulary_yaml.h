#pragma once

#include <string>
#include <vector>

#include "base/text/diagnostic.h"
#include "base/text/source_file.h"

namespace epwise::recipe {

/// rules/vocabulary/bridge.yaml and mlm.yaml → the bytes that `Vocabulary::load` reads.
///
/// Reports all problems (rule id "vocabulary/invalid"): unknown keys and versions, parents and
/// nested classes that do not exist, duplicate names or flags in one version, flags that set an
/// attribute without a field. If there are problems, the bytes must not be used.
std::string compile_vocabulary(const text::SourceFile& bridge,
                               const text::SourceFile& mlm,
                               std::vector<text::Diagnostic>& problems);

}  // namespace epwise::recipe
