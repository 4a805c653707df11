#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lint/finding.h"
#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"
#include "yaml/edit.h"

namespace epwise::repair {

/// A word of the command line that changes: `model.x=4` of Megatron-Bridge, `--x 4` of Megatron-LM.
struct WordEdit {
  std::string key;                                 // "model.x", "--x"
  std::optional<std::vector<std::string>> values;  // behind it; nullopt: the key goes
  std::string rename = {};                         // its new name; what stands behind it stays
};

/// What a fix does to a recipe's text, wherever things stand in it.
struct Change {
  std::vector<yaml::Edit> edits;
  std::vector<WordEdit> words;
  std::vector<WordEdit> script;  // of a launch script; "$X" for a variable that it exports
  std::string obstacle;          // why it can't be done in the recipe; empty otherwise
};

/// A fix in the recipe's own form. Values that come from words behind `--` change there, all others
/// in the file; without a file everything is a word.
Change change_of(const lint::Fix& fix,
                 const recipe::Recipe& recipe,
                 const recipe::Vocabulary& vocabulary);

/// Two changes at once; what both do is done once.
void add(Change& all, const Change& more);

/// The words with the edits made; those that are new come last.
std::vector<std::string> edited_words(std::vector<std::string> words,
                                      const std::vector<WordEdit>& edits);

}  // namespace epwise::repair
