#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lint/knowledge.h"
#include "session/analysis.h"
#include "support/example_target.h"

namespace epwise::test {

/// The compiled rules.
inline const std::shared_ptr<const lint::Knowledge>& shared_rules() {
  static const auto table = std::make_shared<const lint::Knowledge>(lint::load_knowledge());
  return table;
}

inline const lint::Knowledge& all_rules() {
  return *shared_rules();
}

/// A recipe text as a document, without a workspace. `words` describe the target as in rule
/// examples; `overrides` are the words after `--`.
inline std::shared_ptr<session::Document> document_of(std::string_view text,
                                                      std::string_view words,
                                                      std::vector<std::string> overrides = {}) {
  ExampleTarget example = parse_target(words);
  auto document = std::make_shared<session::Document>();
  document->path = file_name_of(text);
  document->knowledge = shared_rules();
  document->vocabularies = std::make_shared<session::Vocabularies>();
  if (!text.empty()) {
    document->request.file =
        std::make_shared<const text::SourceFile>(document->path, std::string(text));
  }
  document->request.framework = example.framework;
  document->request.environment = example.target.environment;
  document->request.words = std::move(overrides);
  document->acceptance.comments = false;
  document->target = std::move(example.target);
  return document;
}

inline session::Analysis analysis_of(const std::shared_ptr<session::Document>& document) {
  return session::analyze(document).front();
}

inline session::Analysis analysis_of(std::string_view text,
                                     std::string_view words,
                                     std::vector<std::string> overrides = {}) {
  return analysis_of(document_of(text, words, std::move(overrides)));
}

}  // namespace epwise::test
