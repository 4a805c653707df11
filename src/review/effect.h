#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/diagnostic.h"
#include "text/source_file.h"

namespace epwise::review {

/// What a change of a parameter does to a run.
enum class Effect : std::uint8_t {
  neutral,      // nothing: logs, checkpoints, evaluation
  performance,  // speed and memory
  training,     // the mathematics or the data
  legality,     // whether it starts at all, or an error comes or goes
};

std::string_view to_string(Effect effect);  // "neutral", "performance", "training-changing", …

/// Which effect the change of a field has, by its canonical name: what knowledge/effects.yaml says.
/// A section ("comm_overlap") has that of its fields, a field of a class that another field holds
/// ("model.transformer.hidden_size") that of the section's field of this name, else its holder's.
///
///   EffectTable::embedded().effect_of("model.moe_router_topk")   // Effect::training
///   EffectTable::embedded().effect_of("env.NCCL_DEBUG")          // Effect::neutral
class EffectTable {
 public:
  /// A name, or a family of names: `*` stands for any letters.
  struct Line {
    std::string pattern;
    Effect effect = Effect::training;
    std::string about;  // "how tokens reach their experts"
  };

  /// The table that the build embedded; read at the first call.
  static const EffectTable& embedded();

  /// What is wrong with the text is added to `problems`; lines that can be read count anyway.
  static EffectTable read(const text::SourceFile& file, std::vector<text::Diagnostic>& problems);

  /// The lines that fit the name best: one in full, else those that spell out most letters. More
  /// than one means that the table is torn where their effects differ; empty: nobody knows it.
  std::vector<const Line*> best_for(std::string_view field) const;

  /// A field that nobody classed counts as training. Never legality: that is what findings say.
  Effect effect_of(std::string_view field) const;

  /// What the parameter is about; empty where nobody classed it.
  std::string_view about(std::string_view field) const;

  const std::vector<Line>& lines() const { return lines_; }

 private:
  std::vector<Line> lines_;
};

/// Whether a pattern of the table fits: fits("model.*_parallel_size", "model.x_parallel_size").
bool fits(std::string_view pattern, std::string_view field);

}  // namespace epwise::review
