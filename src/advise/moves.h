#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "advise/known_model.h"
#include "advise/published.h"
#include "base/text/diagnostic.h"
#include "base/text/source_file.h"
#include "expr/value.h"
#include "lint/rule.h"

/// Which changes make a recipe run faster, in less memory or with less risk, and why: diagnosis,
/// dispatchers, SM counts, overlap, ranked plans. This module writes no files.

namespace epwise::advise {

/// A field and its value under a move. Of several names, the first one that the framework version
/// knows applies; a name that the recipe writes takes precedence.
struct Setting {
  std::vector<std::string> fields;  // canonical
  expr::Value value;
};

/// A condition of a move, given by the rule that fails if it is not met.
struct Need {
  std::string rule;  // id
  std::string what;  // "virtual stages if there is a pipeline"
};

enum class Risk : std::uint8_t { low, medium, high };

std::string_view to_string(Risk risk);

/// Limits an axis or a move to certain positions of other axes.
struct Condition {
  std::string axis;
  std::vector<std::string> moves;
};

/// A range of a field's value in the recipe; outside of it, an axis of sizes only goes down.
struct Limit {
  std::string field;  // canonical
  std::int64_t at_least = 0;
  std::int64_t at_most = 0;  // 0: unlimited
};

/// One position of an axis.
struct Move {
  std::string name;   // "hybridep", "on", "8"
  std::string title;  // in texts: "attention and router"
  std::vector<Setting> sets;
  std::vector<Setting> legacy;  // instead of `sets`, in versions without one of its fields
  std::vector<Condition> with;  // the move counts only with these positions of other axes
  std::vector<std::string> architectures;  // of the GPU; empty: any
  std::vector<std::string> after;          // precisions of which the recipe must already have one
  int fit = 0;                             // rank among the means of fitting in memory; 0: not one
  int loss_layers = -1;            // a generated pipeline layout: layers that the loss counts for
  std::vector<std::string> drops;  // fields that are removed if the recipe writes them
  std::vector<Need> needs;
  std::string format;                // "bridge" or "mlm": of the recipe; empty: any
  std::string stack;                 // component required by the move; may be empty
  bool written = false;              // counts only where the recipe writes all fields that it sets
  bool asked = false;                // in plans only if the user names it
  bool plain = false;                // switches a feature off: nothing to bring up, and no risk
  std::vector<std::string> alters;   // fields among `sets` that change what is trained
  std::vector<std::string> acts_on;  // values of the recipe without which it changes nothing
  std::vector<std::string> launch;   // ids of rules whose fixes give the variables to launch with
  Risk risk = Risk::low;
  std::string because;  // of the risk

  /// Whether it gives this field this value.
  bool gives(std::string_view field, const expr::Value& value) const;
};

/// One thing that can be varied.
struct Axis {
  std::string name;   // "dispatcher"
  std::string group;  // of --may-change: "mapping", "dispatcher", "overlap", …
  std::string what;   // "token dispatcher"
  lint::Tier tier = lint::Tier::performance;
  int order = 0;             // bring-up order: prerequisites first
  std::string check;         // what to check during bring-up
  bool sweep = false;        // a number of SMs
  bool alone = false;        // not combined with other axes: tried on the best combination only
  bool only_to_fit = false;  // free by default only if the recipe does not fit in memory
  bool own_loop = false;     // needs the framework's own training loop, not that of a trainer
  std::vector<Limit> limits;
  std::vector<Condition> with;
  std::vector<Move> moves;

  /// Position of a move; -1 for an unknown name.
  int find(std::string_view move) const;

  /// The move of that name; null pointer if there is none.
  const Move* move(std::string_view called) const;

  /// Whether one of its moves sets the field.
  bool sets(std::string_view field) const;

  /// Whether it sets sizes of the layout or of the batch, which only make sense together.
  bool sets_sizes() const { return group == "mapping" || group == "batch"; }
};

/// An axis at one of its moves, for texts.
///   "activation recompute: norms and expert activations"
std::string title_of(const Axis& axis, const Move& move);

/// Documented advice on dispatchers for some hardware or some number of expert ranks.
struct Guideline {
  std::vector<std::string> architectures;  // empty: all
  int up_to = 0;                           // expert ranks; 0: any
  std::vector<std::string> names;          // of dispatchers
  std::string says;
};

/// Constants of the step model, and what to measure if they matter most.
struct Measurement {
  std::vector<std::string> constants;
  std::string what;
};

/// What can limit a step.
struct Wall {
  std::string name;                // "communication"
  std::vector<std::string> terms;  // of the waterfall
  double from = 0;                 // share of the step
  std::string advice;              // what usually helps
};

/// A step of the ladder from no overlap to full overlap.
struct Rung {
  std::string name;
  std::string title;
  std::string axis;
  std::vector<std::string> moves;  // the fastest valid one is used
  std::string behind;              // another rung without which it has no effect; may be empty
};

/// A setting whose cost `epwise lint --price` reports, and the rule of rules/price/ that reports
/// it. In texts, {present} and {better} are replaced by moves, {from} and {to} by the flat region
/// of a sweep.
struct PricedSetting {
  std::string rule;                // id
  std::string axis;                // axis whose other moves are compared with the present one
  std::vector<std::string> moves;  // moves to consider; empty: all
  std::string wall;                // wall that must take its share of the step; empty: none
  std::string lost;    // rule without which the present move has no effect; may be empty
  std::string says;    // "the {present} dispatcher instead of {better}": costs …
  std::string remedy;  // "Switch to {better}"
};

/// A launch variable and its effect.
struct Variable {
  std::string name;
  std::string what;
};

/// What a purpose of the run (`--purpose`) asks for besides the search.
struct PurposeAdvice {
  std::string name;                    // "benchmark"
  std::vector<std::string> settles;    // ids of rules: their fixes are made before anything else
  std::vector<std::string> procedure;  // how to measure, in this order
};

/// The contents of knowledge/.
struct Knowledge {
  std::vector<std::string> quick;  // ids of arithmetic rules
  std::vector<Axis> axes;
  std::vector<Guideline> by_hardware;
  std::vector<Guideline> by_experts;
  std::vector<Measurement> measurements;
  std::string any_measurement;
  std::vector<Variable> variables;
  std::vector<Wall> walls;
  std::string memory_advice;  // what usually helps if memory binds
  std::vector<Rung> ladder;
  std::vector<PricedSetting> priced_settings;
  std::vector<KnownModel> models;        // of knowledge/models.yaml
  std::vector<ModelFamily> families;     // documented patterns of model families
  std::vector<PublishedRuns> published;  // of knowledge/published.yaml
  std::vector<PurposeAdvice> purposes;

  const Axis* axis(std::string_view name) const;
  const PurposeAdvice* purpose(std::string_view name) const;  // null pointer: nothing special
};

/// knowledge/moves.yaml and knowledge/guidance.yaml → knowledge; if something is missing or
/// unknown, incomplete knowledge and the problems:
///   moves.yaml:40:3: axis `dispatcher` has no move `hybrid`
Knowledge read_knowledge(const text::SourceFile& moves,
                         const text::SourceFile& guidance,
                         std::vector<text::Diagnostic>& problems);

/// Knowledge ↔ the bytes embedded by the build.
std::string pack(const Knowledge& knowledge);
Knowledge unpack(std::string_view bytes);

/// The knowledge embedded by the build.
const Knowledge& knowledge();

}  // namespace epwise::advise
