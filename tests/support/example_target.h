#pragma once

#include <string>
#include <string_view>

#include "lint/example.h"
#include "lint/knowledge.h"

namespace epwise::test {

using ExampleTarget = lint::ExampleTarget;
using Linted = lint::LintedExample;

/// The compiled rules, loaded once.
inline const lint::Knowledge& knowledge() {
  static const lint::Knowledge kKnowledge = lint::load_knowledge();
  return kKnowledge;
}

inline lint::ExampleVocabularies& vocabularies() {
  static lint::ExampleVocabularies kept;
  return kept;
}

inline ExampleTarget parse_target(std::string_view words) {
  return lint::example_target(words, knowledge());
}

inline std::string file_name_of(std::string_view text) {
  return lint::example_file_name(text);
}

inline Linted lint_text(std::string_view text,
                        std::string_view words,
                        const lint::Knowledge& rules) {
  return lint::lint_example(text, words, rules, vocabularies());
}

}  // namespace epwise::test
