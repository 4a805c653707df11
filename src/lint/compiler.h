#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lint/knowledge.h"
#include "text/diagnostic.h"
#include "text/source_file.h"

namespace epwise::lint {

/// One file under rules/, with its path inside that folder: "overlap/expert-ranks.yaml",
/// "launch/bridge.yaml".
struct KnowledgeFile {
  std::string path;
  std::shared_ptr<const text::SourceFile> source;
};

/// What the files under rules/ say, checked as a whole: names and types, rules and derived values
/// that name each other (no cycles), places that name stages, codes that are unique. Files under
/// vocabulary/ are not read here; the vocabulary must be loaded already. Problems come back in the
/// order of the files; with problems the result must not be used.
Knowledge compile(const std::vector<KnowledgeFile>& files, std::vector<text::Diagnostic>& problems);

/// Adds rule files to a table that stands; a rule with a known id replaces it.
void add_rules(Knowledge& knowledge,
               const std::vector<KnowledgeFile>& files,
               std::vector<text::Diagnostic>& problems);

}  // namespace epwise::lint
