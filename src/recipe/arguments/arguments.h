#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"
#include "expr/value.h"
#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

/// One word of a command line, with its location in a file or on the command line.
struct Word {
  std::string text;  // as seen by the program; an unset `${X}` is kept
  text::Mark mark;
  // "${X}": unset variables; not empty: the text is unknown
  std::vector<std::string> needs = {};
  Origin origin = Origin::written;
  text::Mark definition = {};  // as of Field

  bool known() const { return needs.empty(); }
};

/// The parser for which the words are meant: Megatron-LM's of one version, or a small one in a
/// test.
struct Parser {
  std::vector<const Flag*> flags;
  std::function<std::string(std::string_view)>
      history;          // of a spelling: "known since 0.18.2", or ""
  std::string program;  // for display: "Megatron-LM 0.17.1"
  // false: the program adds its own flags, so an unknown one is not a mistake
  bool complete = true;
};

/// An attribute set by the words; the last occurrence of its flags wins.
struct Argument {
  // Unknown if a word's text is, or if its converter rejects it; a rejected choice is kept
  expr::Value value;
  std::string spelling;
  text::Mark key;
  text::Mark mark;  // of the value words; the flag's for a bare flag
  Origin origin = Origin::written;
  text::Mark definition = {};  // as of Field, of a single value word
};

/// The result of argparse for a command line, without abbreviations (`allow_abbrev=False`, as in
/// all of Megatron-LM).
struct Arguments {
  std::map<std::string, Argument, std::less<>> values;  // by attribute
  /// In the order in which argparse would stop: conversions and counts by position, then required
  /// flags, then unused words. The first one is what argparse prints. Rule ids:
  /// flags/missing-value, flags/bad-value, flags/bad-choice, flags/unexpected-value
  /// (`--swiglu=true`), flags/required, flags/unrecognized, flags/stray-word, flags/ambiguous,
  /// flags/help.
  std::vector<text::Diagnostic> diagnostics;
  std::vector<std::string> unknown_flags;  // as written
  std::vector<std::string> stray_words;
  std::string bad_choice;  // attribute of the first rejected choice
};

/// Parses the words of a program's command line (without the program).
///   --num-experts 8 --swiglu --recompute-modules moe_act mlp --moe-layer-freq ([0]*1+[1]*3)
///   → num_experts 8, swiglu true, recompute_modules [moe_act, mlp], moe_layer_freq [0, 1, 1, 1]
Arguments parse_arguments(const std::vector<Word>& words, const Parser& parser);

/// Megatron-LM's own parser of that version; it refers to the vocabulary.
Parser parser_of(const Vocabulary& vocabulary);

/// Adds the result of argparse to a recipe, under canonical names and with canonical polarity:
/// --untie-embeddings-and-output-weights → model.share_embeddings_and_output_weights false. Adds
/// the diagnostics and raw.unknown_flags, raw.stray_words (lists) and raw.bad_choice (attribute of
/// the first rejected choice; null if none).
void add_arguments(Recipe& recipe, Arguments arguments, const Vocabulary& vocabulary);

/// A list value of texts.
expr::Value text_list(const std::vector<std::string>& texts);

}  // namespace epwise::recipe
