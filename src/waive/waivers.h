#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lint/engine.h"
#include "lint/knowledge.h"
#include "model/target.h"
#include "recipe/recipe.h"
#include "waive/comment.h"

namespace epwise::waive {

/// What it takes to judge comments besides the recipe.
struct Circumstances {
  const lint::Knowledge& knowledge;
  const model::Target& target;
  std::string today;  // "2026-11-22"
};

/// The comments of one input and what became of each, over all its documents.
///
///   Waivers waivers;
///   waivers.accept(recipe, circumstances, result);   // each document
///   waivers.report(selection, knowledge, results);   // what is wrong with comments: findings
class Waivers {
 public:
  /// Moves the findings that a comment of the recipe's files covers to `result.accepted`. A finding
  /// is covered where any of its places lies in the comment's scope. A condition that the target
  /// leaves open accepts nothing, nor does any comment in a file that holds no readable recipe.
  void accept(const recipe::Recipe& recipe,
              const Circumstances& circumstances,
              lint::Result& result);

  /// Adds findings about comments to the first of the results whose recipe holds them:
  /// suppression/malformed, suppression/lapsed and suppression/unused. Call once, after all
  /// documents. A comment is unused where every rule that it names was decided and none failed in
  /// its scope.
  void report(const lint::Selection& selection,
              const lint::Knowledge& knowledge,
              const std::vector<std::pair<const recipe::Recipe*, lint::Result*>>& results) const;

 private:
  struct Seen {
    Comment comment;
    bool used = false;
    bool open = false;    // a rule that it names could not be decided
    std::string problem;  // of rules and conditions
    std::string lapsed;   // why it accepts nothing any more
    std::string undecided;
    std::set<const lint::Rule*> rules;
  };

  using Key = std::pair<std::string, std::uint32_t>;  // file, place

  void judge(Seen& seen, const Circumstances& circumstances) const;

  std::map<Key, Seen> seen_;
};

/// The comment's bytes with what would be left of its line: where to cut when it goes.
text::Mark cut_of(const text::Mark& comment);

}  // namespace epwise::waive
