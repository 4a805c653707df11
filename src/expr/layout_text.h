#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expr/value.h"

namespace epwise::expr {

/// A pipeline layout as Megatron reads it: one text per stage, one letter per layer: E embedding,
/// t decoder, m multi-token prediction, L loss (and e, the encoder that only the list form can
/// name).
struct Layout {
  std::vector<std::string> stages;
  /// What Megatron stops at: "`x` is no layer letter"; empty when all is well. Stages are then as
  /// far as the text says.
  std::string problem;
};

/// The text form: `|` divides stages, commas are decoration, `t*3` and `(t|)*30` repeat. Bounded:
/// more than 65536 letters are a problem.
///   read_layout("E,t*3|(t|)*2m,L") → {"Ettt", "t", "t", "mL"}
Layout read_layout(std::string_view text);

/// Either form: a text, or a list of lists of layer names ("embedding", "decoder", "mtp", "loss").
/// nullopt for anything else.
std::optional<Layout> read_layout(const Value& value);

}  // namespace epwise::expr
