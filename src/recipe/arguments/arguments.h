#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "expr/value.h"
#include "recipe/arguments/word.h"
#include "recipe/vocabulary/vocabulary.h"
#include "text/diagnostic.h"

namespace epwise::recipe {

/// The parser that the words are meant for: Megatron-LM's of one version, or a small one in a test.
struct Parser {
  std::vector<const Flag*> flags;
  std::function<std::string(std::string_view)>
      history;          // of a spelling: "known since 0.18.2", or ""
  std::string program;  // for people: "Megatron-LM 0.17.1"
  bool complete =
      true;  // false: the program adds flags of its own, so that an unknown one is no mistake
};

/// One attribute that the words set; the last occurrence of its flags wins.
struct Argument {
  expr::Value value;  // Unknown where a word's text is, or where its converter refuses it; a
                      // refused choice as it is
  std::string spelling;
  text::Mark key;
  text::Mark mark;  // of the value words; the flag's for a bare flag
  Origin origin = Origin::written;
};

/// What argparse makes of a command line, abbreviations off (`allow_abbrev=False`, as in all of
/// Megatron-LM).
struct Arguments {
  std::map<std::string, Argument, std::less<>> values;  // by attribute
  /// In the order in which argparse would stop: conversions and counts by place, then required
  /// flags, then words that nobody takes. The first one is what it prints. Rule ids:
  /// flags/missing-value, flags/bad-value, flags/bad-choice, flags/unexpected-value
  /// (`--swiglu=true`), flags/required, flags/unrecognized, flags/stray-word, flags/ambiguous,
  /// flags/help.
  std::vector<text::Diagnostic> diagnostics;
  std::vector<std::string> unknown_flags;  // as written
  std::vector<std::string> stray_words;
  std::string bad_choice;  // attribute of the first refused choice
};

/// Parses the words of a program's command line (without the program).
///   --num-experts 8 --swiglu --recompute-modules moe_act mlp --moe-layer-freq ([0]*1+[1]*3)
///   → num_experts 8, swiglu true, recompute_modules [moe_act, mlp], moe_layer_freq [0, 1, 1, 1]
Arguments parse_arguments(const std::vector<Word>& words, const Parser& parser);

}  // namespace epwise::recipe
