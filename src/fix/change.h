#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lint/finding.h"
#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"
#include "yaml/edit.h"

namespace epwise::fix {

/// A changed word of the command line: `model.x=4` of Megatron-Bridge, `--x 4` of Megatron-LM.
struct WordEdit {
  std::string key;  // "model.x", "--x"
  // the values after it; nullopt: the key is removed
  std::optional<std::vector<std::string>> values;
  std::string rename = {};  // its new name; the values after it are kept
};

/// The effect of a fix on a recipe's text, in all places.
struct Change {
  std::vector<yaml::Edit> edits;
  std::vector<WordEdit> words;
  std::vector<WordEdit> script;  // of a launch script; "$X" for a variable that it exports
  std::string obstacle;          // why it cannot be done in the recipe; otherwise empty
};

/// A fix in the recipe's format. Values from words after `--` change there, all others in the file;
/// without a file, everything is a word.
Change change_of(const lint::Fix& fix,
                 const recipe::Recipe& recipe,
                 const recipe::Vocabulary& vocabulary);

/// Combines two changes; common edits are made once.
void add(Change& all, const Change& more);

/// The words after the edits; new ones are appended.
std::vector<std::string> edited_words(std::vector<std::string> words,
                                      const std::vector<WordEdit>& edits);

/// Changes flags, overrides and exported variables of a launch script if its text contains them
/// literally; all other bytes are unchanged. `recipe` is what the script currently defines.
///   {"--expert-model-parallel-size", {"8"}}   replaces the value, or adds the flag after the last
///                                             one that the script writes out
///   {"--moe-grouped-gemm", nullopt}           removes the flag, and its line where nothing is left
///   {"--num-expert", nullopt, "--num-experts"}   another name for the same value
///   {"$NCCL_DEBUG", {"INFO"}}                 an export
/// Values composed of variables or located in another file are an obstacle: `obstacle` gets a
/// message, and the text is returned unchanged.
std::string edited_script(const recipe::Recipe& recipe,
                          const std::vector<WordEdit>& edits,
                          std::string& obstacle);

}  // namespace epwise::fix
