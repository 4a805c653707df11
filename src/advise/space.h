#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "advise/ground.h"
#include "advise/moves.h"

namespace epwise::advise {

/// One position an axis: 0 leaves the recipe as it is, i takes move i − 1 of the axis.
using Position = std::int16_t;
using Candidate = std::vector<Position>;

/// What may change.
struct Freedom {
  std::vector<std::string> may_change;  // groups, axes or fields; empty: all but training
  std::vector<std::string> keep;        // fields, axes or groups
};

/// The axes of a recipe: which moves make sense on it, and which edits they come to.
class Space {
 public:
  struct Dimension {
    const Axis* axis = nullptr;
    int present = -1;                 // the move that the recipe stands at; -1: none of them
    std::vector<Position> positions;  // that may be taken, 0 among them
    bool open = false;                // more than one
  };

  Space(const Knowledge& knowledge, const Ground& ground, const Freedom& freedom);

  const std::vector<Dimension>& dimensions() const { return dimensions_; }

  /// Words of the freedom that name no group, axis or field of one.
  const std::vector<std::string>& strangers() const { return strangers_; }

  /// Whether a field belongs to an axis that must stay, or is to be kept by name.
  bool is_frozen(std::string_view field) const;

  Candidate start() const { return Candidate(dimensions_.size(), 0); }

  int index(std::string_view axis) const;  // -1: no such axis

  /// The candidate with an axis at a move, whether it may be taken or not.
  Candidate with(Candidate candidate, std::string_view axis, std::string_view move) const;

  /// The move that a candidate takes or stands at; null pointer: none of them.
  const Move* move(const Candidate& candidate, std::string_view axis) const;
  const Move* move(const Candidate& candidate, std::size_t dimension) const;

  /// Positions without meaning go to 0: those of axes whose condition doesn't hold, and those that
  /// the recipe stands at.
  Candidate canonical(Candidate candidate) const;

  /// What the candidate changes in the recipe's text.
  Edits edits(const Candidate& candidate) const;

  /// Whether the framework's version has the fields of all its moves.
  bool possible(const Candidate& candidate) const;

  /// Fields that the moves of a candidate set, or leave as they are: nothing else may touch them.
  std::vector<std::string> guarded(const Candidate& candidate) const;

  /// Axes that a candidate changes.
  std::vector<std::size_t> changed(const Candidate& candidate) const;

  /// The number of positions, without regard of conditions.
  double size() const;

 private:
  /// A move on this recipe.
  struct Made {
    Edits edits;
    std::vector<std::string> guarded;  // all fields that it sets, also those that stand already
    bool possible = false;             // the version has the fields, and the stack what it takes
    bool stands = false;               // the recipe is there
  };

  static Made make(const Move& move, const Ground& ground);

  const Made& made(std::size_t dimension, int move) const;

  std::vector<Dimension> dimensions_;
  std::vector<std::vector<Made>> made_;
  std::vector<std::string> frozen_;  // fields, sorted
  std::vector<std::string> strangers_;
};

}  // namespace epwise::advise
