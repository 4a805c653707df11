#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"
#include "base/text/source_file.h"

namespace epwise::diff {

/// The effect of a changed parameter on a run.
enum class Effect : std::uint8_t {
  neutral,      // nothing: logs, checkpoints, evaluation
  performance,  // speed and memory
  training,     // the numerics or the data
  legality,     // whether it starts at all, or an error appears or disappears
};

std::string_view to_string(Effect effect);  // "neutral", "performance", "training-changing", …

/// The effect of changing a field, by its canonical name, from knowledge/effects.yaml. A section
/// ("comm_overlap") has that of its fields, a field of a class nested in another field
/// ("model.transformer.hidden_size") that of the section's field of this name, otherwise that of
/// the nesting field.
///
///   EffectTable::embedded().effect_of("model.moe_router_topk")   // Effect::training
///   EffectTable::embedded().effect_of("env.NCCL_DEBUG")          // Effect::neutral
class EffectTable {
 public:
  /// A name, or a family of names: `*` matches any letters.
  struct Line {
    std::string pattern;
    Effect effect = Effect::training;
    std::string about;  // "token dispatcher"
  };

  /// The table embedded by the build; parsed on first use.
  static const EffectTable& embedded();

  /// Problems of the text are added to `problems`; valid lines are still used.
  static EffectTable read(const text::SourceFile& file, std::vector<text::Diagnostic>& problems);

  /// The best matching lines: a full name, otherwise those with the most literal letters. If there
  /// are several with different effects, the table is ambiguous; empty: the name is unknown.
  std::vector<const Line*> best_for(std::string_view field) const;

  /// An unclassified field counts as training. Never legality: that is determined by findings.
  Effect effect_of(std::string_view field) const;

  /// What the parameter is about; empty if it is not classified.
  std::string_view about(std::string_view field) const;

  const std::vector<Line>& lines() const { return lines_; }

 private:
  std::vector<Line> lines_;
};

/// Whether a pattern of the table matches: fits("model.*_parallel_size", "model.x_parallel_size").
bool fits(std::string_view pattern, std::string_view field);

}  // namespace epwise::diff
