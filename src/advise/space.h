#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advise/evaluator.h"
#include "advise/moves.h"
#include "expr/layout_text.h"

namespace epwise::advise {

/// One position per axis: 0 leaves the recipe unchanged, i applies move i − 1 of the axis.
using Position = std::int16_t;
using Candidate = std::vector<Position>;

/// What may change.
struct Freedom {
  std::vector<std::string> may_change;  // groups, axes or fields; empty: all except training
  std::vector<std::string> keep;        // fields, axes or groups
  bool to_fit = false;  // the recipe does not fit in memory: axes that only save memory are free
  std::string architecture = {};  // of the GPU; empty: unknown
  std::string precision = {};     // of the recipe: "bf16", "fp8_cs"; empty: unknown
  bool careful = false;           // no moves of high risk
  bool same_training = true;      // of moves that change what is trained only those that are named
  int most_fit = 0;      // only moves of this rank among the means of fitting; 0: all moves
  bool by_hand = false;  // the user chooses: also what plans take only if it is named
};

/// Names in the freedom that match no group, axis, move or field of an axis.
std::vector<std::string> strangers_of(const Knowledge& knowledge, const Freedom& freedom);

/// The axes of a recipe: the moves that make sense for it, and the resulting edits.
class Space {
 public:
  struct Dimension {
    const Axis* axis = nullptr;
    int present = -1;                 // the move that matches the recipe; -1: none
    std::vector<Position> positions;  // allowed positions, including 0
    bool open = false;                // more than one

    bool allows(Position position) const {
      return std::ranges::find(positions, position) != positions.end();
    }
  };

  Space(const Knowledge& knowledge, const Evaluator& evaluator, const Freedom& freedom);

  const std::vector<Dimension>& dimensions() const { return dimensions_; }

  /// Whether a field belongs to an axis that must not change, or is kept by name.
  bool is_frozen(std::string_view field) const;

  Candidate start() const { return Candidate(dimensions_.size(), 0); }

  int index(std::string_view axis) const;  // -1: no such axis

  /// Whether the recipe is at this move: of layouts, one that is generated just so.
  bool stands(std::size_t dimension, std::size_t move) const;

  /// The candidate with an axis at a move, whether allowed or not.
  Candidate with(Candidate candidate, std::string_view axis, std::string_view move) const;

  /// The move that a candidate applies or already has; null pointer: none.
  const Move* move(const Candidate& candidate, std::string_view axis) const;
  const Move* move(const Candidate& candidate, std::size_t dimension) const;

  /// Resets meaningless positions to 0: those of axes whose condition is not met, and those equal
  /// to the recipe's own.
  Candidate canonical(Candidate candidate) const;

  /// The edits of the recipe's text for a candidate.
  Edits edits(const Candidate& candidate) const;

  /// Whether the framework version has the fields of all its moves.
  bool possible(const Candidate& candidate) const;

  /// Whether the framework has everything that a move of an axis sets, whatever the other axes are.
  bool possible(std::string_view axis, std::string_view move) const;

  /// Fields that the moves of a candidate set or leave unchanged: nothing else may touch them.
  std::vector<std::string> guarded(const Candidate& candidate) const;

  /// Axes that a candidate changes.
  std::vector<std::size_t> changed(const Candidate& candidate) const;

  /// Titles of moves that this recipe could take, but that change what is trained and are not named.
  const std::vector<std::string>& withheld() const { return withheld_; }

  /// The number of positions, ignoring conditions.
  double size() const;

 private:
  /// A move applied to this recipe.
  struct Made {
    Edits edits;
    std::vector<std::string> guarded;  // all fields that it sets, including those already set
    bool possible = false;  // the version has the fields, and the stack has the required component
    bool stands = false;    // matches the recipe
  };

  /// Whether the recipe's value of a sweep belongs to another dispatcher, with which it goes.
  bool is_of_another(const Axis& axis) const;

  /// `anew`: what the recipe has does not stand for the move.
  static Made make(const Move& move, const Evaluator& evaluator, bool anew);
  static void apply(const std::vector<Setting>& sets,
                    const Evaluator& evaluator,
                    bool anew,
                    Made& made);

  void read_sizes(const Evaluator& evaluator);

  /// Stages and virtual stages of a candidate.
  std::pair<int, int> stages_of(const Candidate& candidate) const;
  bool holds(const std::vector<Condition>& conditions, const Candidate& candidate) const;

  /// Replaces the layout among the edits by the one that the candidate's stages need.
  void lay_out(const Candidate& candidate, Edits& edits) const;
  bool is_present_layout(std::string_view text) const;

  const Made& made(std::size_t dimension, int move) const;

  std::vector<Dimension> dimensions_;
  std::vector<std::vector<Made>> made_;
  std::vector<std::string> withheld_;
  std::vector<std::string> frozen_;  // fields, sorted
  std::string precision_;            // of the recipe, if known
  int layers_ = 0;
  int prediction_depths_ = 0;
  int stages_ = 1;                      // of the recipe
  int virtual_stages_ = 1;              // of the recipe
  std::optional<expr::Layout> layout_;  // of the recipe
  bool has_layouts_ = false;
  bool separate_chunks_ = true;       // the virtual stages are given besides a layout
  std::vector<std::string> written_;  // fields that a generated layout replaces
};

/// Layers per chunk as Megatron's layout text, or empty if there are fewer layers than the chunks
/// need. The first chunk with the embedding, then the last one with the loss, get the fewest.
///   layout_text(61, 1, 16, 0) → "Et*3|(t*4|)*14t*2mL"
std::string layout_text(int layers, int prediction_depths, int chunks, int loss_layers);

}  // namespace epwise::advise
