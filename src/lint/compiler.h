#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"
#include "base/text/source_file.h"
#include "expr/expression.h"
#include "lint/knowledge.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::lint {

/// One file under rules/, with its path inside that directory: "overlap/expert-ranks.yaml",
/// "launch/bridge.yaml".
struct KnowledgeFile {
  std::string path;
  std::shared_ptr<const text::SourceFile> source;
};

/// Compiles the files under rules/ and checks them as a whole: names and types, references between
/// rules and derived values (no cycles), places that name stages, unique codes. Does not read files
/// under vocabulary/; the vocabulary must already be loaded. Problems are returned in file order;
/// if there are any, the result must not be used.
Knowledge compile(const std::vector<KnowledgeFile>& files, std::vector<text::Diagnostic>& problems);

/// Adds rule files to an existing table; a rule with an existing id overrides it.
void add_rules(Knowledge& knowledge,
               const std::vector<KnowledgeFile>& files,
               std::vector<text::Diagnostic>& problems);

/// The meaning of names in the rule language, over all known framework versions: fields of the
/// vocabulary (with type `any` if versions disagree), derived values, and the fixed groups hw,
/// stack, env, installed, raw.
class NameScope {
 public:
  NameScope();

  /// Adds a derived value; false if the name is already used by a field or another derived value.
  bool add_derived(std::string_view name, const expr::Type& type);

  std::optional<expr::Type> type_of(std::string_view name) const;
  std::vector<std::string_view> names() const;

  /// For the checker; refers to this object.
  expr::Scope scope() const;

 private:
  std::vector<recipe::Vocabulary> vocabularies_;
  std::map<std::string, expr::Type, std::less<>> types_;
};

}  // namespace epwise::lint
