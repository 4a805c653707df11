#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "advise/known_model.h"
#include "expr/value.h"
#include "lint/rule.h"
#include "text/diagnostic.h"
#include "text/source_file.h"

/// What to change in a recipe so that it runs faster, in less memory or more safely, and why:
/// diagnosis, dispatchers, SM counts, overlap, ranked plans. Nothing here writes.
namespace epwise::advise {

/// A field and the value that a move gives it. Of several names the first counts that the
/// framework's version knows, one that the recipe writes before all others.
struct Setting {
  std::vector<std::string> fields;  // canonical
  expr::Value value;
};

/// What must hold for a move, as the rule that fails where it doesn't.
struct Need {
  std::string rule;  // id
  std::string what;  // "virtual stages where there is a pipeline"
};

enum class Risk : std::uint8_t { low, medium, high };

std::string_view to_string(Risk risk);

/// One position of an axis.
struct Move {
  std::string name;  // "hybridep", "on", "8"
  std::vector<Setting> sets;
  std::vector<std::string> drops;  // fields that go where the recipe writes them
  std::vector<Need> needs;
  std::string stack;                // component without which it is not thought of; may be empty
  std::vector<std::string> launch;  // ids of rules whose fixes say which variables to launch with
  Risk risk = Risk::low;
  std::string because;  // of the risk
};

/// An axis that counts only where others stand somewhere.
struct Condition {
  std::string axis;
  std::vector<std::string> moves;
};

/// One thing that can be varied.
struct Axis {
  std::string name;   // "dispatcher"
  std::string group;  // of --may-change: "mapping", "dispatcher", "overlap", …
  std::string what;   // "how tokens reach their experts"
  lint::Tier tier = lint::Tier::performance;
  int order = 0;       // of bring-up: what must be right first stands first
  std::string check;   // what to look at when it is brought up
  bool sweep = false;  // a number of SMs
  std::vector<Condition> with;
  std::vector<Move> moves;

  /// Position of a move; -1 for a name that it hasn't.
  int find(std::string_view move) const;
};

/// What a document says about dispatchers on some hardware or at some number of expert ranks.
struct Guideline {
  std::vector<std::string> architectures;  // empty: all
  int up_to = 0;                           // expert ranks; 0: any
  std::vector<std::string> names;          // of dispatchers
  std::string says;
};

/// Constants of the step model, and what to measure when they decide.
struct Measurement {
  std::vector<std::string> constants;
  std::string what;
};

/// What can bind a step.
struct Wall {
  std::string name;                // "communication"
  std::vector<std::string> terms;  // of the waterfall
  double from = 0;                 // share of the step
  std::string advice;              // what usually helps
};

/// A step of the ladder that leads from no overlap to all of it.
struct Rung {
  std::string name;
  std::string title;
  std::string axis;
  std::vector<std::string> moves;  // the fastest legal one counts
  std::string behind;              // another rung without which it is nothing; may be empty
};

/// A setting whose price `epwise lint --price` tells, and the rule of rules/price/ that tells it.
/// In texts {present} and {better} stand for moves, {from} and {to} for the flat region of a sweep.
struct Toll {
  std::string rule;                // id
  std::string axis;                // whose other moves are held against the present one
  std::vector<std::string> moves;  // those that count; empty: all
  std::string wall;                // that must take its share of the step; empty: none
  std::string lost;                // rule without which the present move does nothing; may be empty
  std::string says;                // "the {present} dispatcher instead of {better}": costs …
  std::string remedy;              // "Switch to {better}"
};

/// A variable of the launch, and what it does.
struct Variable {
  std::string name;
  std::string what;
};

/// Everything that knowledge/ says.
struct Knowledge {
  std::vector<std::string> quick;  // ids of rules of arithmetic
  std::vector<Axis> axes;
  std::vector<Guideline> by_hardware;
  std::vector<Guideline> by_experts;
  std::vector<Measurement> measurements;
  std::string any_measurement;
  std::vector<Variable> variables;
  std::vector<Wall> walls;
  std::string memory_advice;  // what usually helps where memory binds
  std::vector<Rung> ladder;
  std::vector<Toll> tolls;
  std::vector<KnownModel> models;  // of knowledge/models.yaml

  const Axis* axis(std::string_view name) const;
};

/// knowledge/moves.yaml and knowledge/guidance.yaml → knowledge; an incomplete one and why where
/// something is missing or unknown:
///   moves.yaml:40:3: axis `dispatcher` has no move `hybrid`
Knowledge read_knowledge(const text::SourceFile& moves,
                         const text::SourceFile& guidance,
                         std::vector<text::Diagnostic>& problems);

/// Knowledge ↔ the bytes that the build embeds.
std::string pack(const Knowledge& knowledge);
Knowledge unpack(std::string_view bytes);

/// What the build embedded.
const Knowledge& knowledge();

}  // namespace epwise::advise
