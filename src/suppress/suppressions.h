#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lint/engine.h"
#include "lint/facts/target.h"
#include "lint/knowledge.h"
#include "recipe/recipe.h"
#include "suppress/comment.h"

namespace epwise::suppress {

/// Context for evaluating comments, in addition to the recipe.
struct Circumstances {
  const lint::Knowledge& knowledge;
  const facts::Target& target;
  std::string today;  // "2026-11-22"
};

/// The comments of one input and their effects, over all its documents.
///
///   Suppressions waivers;
///   waivers.accept(recipe, circumstances, result);   // each document
///   waivers.report(selection, knowledge, results);   // what is wrong with comments: findings
class Suppressions {
 public:
  /// Moves findings covered by a comment in the recipe's files to `result.accepted`. A finding is
  /// covered if any of its locations is in the comment's scope. A comment with an undecided
  /// condition accepts nothing, nor does any comment in a file without a readable recipe.
  void accept(const recipe::Recipe& recipe,
              const Circumstances& circumstances,
              lint::Result& result);

  /// Adds findings about comments to the first result whose recipe contains them:
  /// suppression/malformed, suppression/lapsed and suppression/unused. Call once, after all
  /// documents. A rule in a comment is unused if it was decided and did not fail in the
  /// comment's scope.
  void report(const lint::Selection& selection,
              const lint::Knowledge& knowledge,
              const std::vector<std::pair<const recipe::Recipe*, lint::Result*>>& results) const;

 private:
  struct Seen {
    Comment comment;
    std::set<const lint::Rule*> used;  // rules of which it accepts a finding
    std::string problem;               // of rules and conditions
    std::string lapsed;                // why it no longer accepts anything
    std::string undecided;
    std::vector<const lint::Rule*> named;  // those of the comment, null for an unknown one
    std::set<const lint::Rule*> rules;
  };

  /// A comment with what it covers.
  struct Placed {
    Comment comment;
    std::optional<text::Mark> scope;
  };

  using Key = std::pair<std::string, std::uint32_t>;  // file, place

  const std::vector<Placed>& placed_comments(const recipe::Recipe& recipe,
                                             const std::shared_ptr<const text::SourceFile>& file);

  const lint::Rule* rule_named(const std::string& name, const lint::Knowledge& knowledge);

  void judge(Seen& seen, const Circumstances& circumstances);

  /// The rules of a comment, as written, that were decided and of which it accepts nothing.
  std::vector<std::string> unused_names(const Seen& seen, const lint::Selection& selection) const;

  std::map<std::shared_ptr<const text::SourceFile>, std::vector<Placed>> placed_;
  std::map<std::string, const lint::Rule*> rules_;  // by the names in comments
  std::map<Key, Seen> seen_;
  /// By file: the rules that a recipe in it leaves undecided, and those that fail without a finding
  /// of their own.
  std::map<std::string, std::set<const lint::Rule*>> open_;
};

}  // namespace epwise::suppress
