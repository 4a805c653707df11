#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expr/value.h"

namespace epwise::expr {

/// A pipeline layout as Megatron parses it: one text per stage, one letter per layer: E embedding,
/// t decoder, m multi-token prediction, L loss (and e, the encoder, only available in the list
/// form).
struct Layout {
  std::vector<std::string> stages;
  /// The error that Megatron would raise: "`x` is not a layer letter"; empty if there is none.
  /// Stages are then those parsed so far.
  std::string problem;
};

/// The text form: `|` separates stages, commas are ignored, `t*3` and `(t|)*30` repeat. Limited to
/// 65536 letters.
///   read_layout("E,t*3|(t|)*2m,L") → {"Ettt", "t", "t", "mL"}
Layout read_layout(std::string_view text);

/// Either form: a text, or a list of lists of layer names ("embedding", "decoder", "mtp", "loss").
/// nullopt for anything else.
std::optional<Layout> read_layout(const Value& value);

/// The shortest text form of stages without a problem.
///   layout_text({"Ettt", "tt", "tt", "mL"}) → "Et*3|(t*2|)*2mL"
std::string layout_text(const std::vector<std::string>& stages);

/// The value of a list expression such as "([0]*3+[1]*58)", which Megatron-LM passes to Python:
/// integers and lists of them with `+`, `*`, brackets and commas. nullopt if Python raises, if the
/// text contains any other character (including blanks, as upstream), and for constructs that no
/// recipe needs: tuples, powers, subscripts.
///   evaluate_list_text("([0]*2+[1]*3)") → [0, 0, 1, 1, 1];  evaluate_list_text("2*3") → 6
/// At most 4096 characters, nesting depth 64, 65536 items; otherwise nullopt.
std::optional<Value> evaluate_list_text(std::string_view text);

}  // namespace epwise::expr
