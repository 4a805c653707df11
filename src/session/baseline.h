#pragma once

#include <compare>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/os/files.h"
#include "lint/engine.h"
#include "lint/finding.h"
#include "recipe/recipe.h"
#include "session/files/checkout.h"

namespace epwise::session {

/// Identifies a finding even after lines moved: 16 hexadecimal digits and, after a colon, a counter
/// for otherwise identical findings.
class Fingerprints {
 public:
  /// Of the finding: rule, file, JSON Pointers and the values that the rule read. A changed value
  /// is a new finding; a moved line is not. `uri` names the file and, after a "#", its document.
  std::string of_finding(std::string_view uri, const lint::Finding& finding);

  /// Of the text of its line without blanks: what GitHub's code scanning compares.
  std::string of_line(std::string_view uri, const lint::Finding& finding);

  /// Of a sentence that explains why something was not checked, independent of other failures.
  std::string of_failure(std::string_view sentence);

 private:
  std::string counted(const std::string& text);

  std::map<std::string, int> seen_;
};

/// The result of a baseline in one run.
struct BaselineCount {
  std::string path;
  int known = 0;    // findings that it contains
  int settled = 0;  // entries of linted files that no finding matches any more
};

/// Findings that were known on some day, kept in a file that only shrinks: a repository with many
/// findings reaches none step by step. Immutable once read; threads may share it.
///
///   # epwise: …
///   version: 1
///   reason: before the gate was switched on
///   findings:
///     - {file: recipes/a.yaml, rule: batch/indivisible, fingerprint: "9a0f3c5d1e2b4a67:1",
///        target: h100 x 16}
///
/// A finding is identified by rule, file, location in the document and the values that the rule
/// read, not by its line; if a value changes, it is a new finding. Only a run on the target of an
/// entry can tell that it no longer occurs.
class Baseline {
 public:
  struct Entry {
    /// Relative to the root of the repository around the baseline or, outside of one, to the folder of
    /// the baseline; "a.yaml#2" for a later document.
    std::string file;
    std::string rule;
    std::string fingerprint;
    std::string target = {};  // "h100 x 16": where the finding was seen; empty in older files

    /// Without the target: a finding may occur on several.
    auto operator<=>(const Entry& other) const {
      return std::tie(file, rule, fingerprint) <=>
             std::tie(other.file, other.rule, other.fingerprint);
    }

    bool operator==(const Entry& other) const { return (*this <=> other) == 0; }
  };

  Baseline() = default;

  /// Throws os::UsageError for a file that is missing, can't be read or is not a baseline.
  static Baseline read(const os::Files& files, const std::string& path);

  /// An entry for each finding of a recipe on `target` (machine_text); none for one that is not
  /// readable. `home`: around the baseline (checkout_around).
  static std::vector<Entry> entries_of(const Checkout& home,
                                       const recipe::Recipe& recipe,
                                       const std::string& target,
                                       const lint::Result& result);

  /// Moves the findings that this file knows to `result.accepted` and returns their entries.
  /// Nothing of a recipe that is not readable.
  std::vector<Entry> accept(const recipe::Recipe& recipe, lint::Result& result) const;

  /// Entries of a recipe's file that a run does not decide: their rules are not selected, undecided
  /// or wait for another finding.
  std::vector<Entry> undecided(const recipe::Recipe& recipe,
                               const lint::Result& result,
                               const lint::Selection& selection,
                               const lint::Knowledge& knowledge) const;

  /// "a.yaml#2" → "a.yaml": the file of an entry, from the root of the repository.
  static std::string file_of(const std::string& name) { return name.substr(0, name.rfind('#')); }

  const std::string& path() const { return path_; }

  /// To which the files of its entries are relative.
  const Checkout& home() const { return home_; }

  /// Where the file of an entry is.
  std::string place_of(const std::string& name) const;

  const std::string& reason() const { return reason_; }

  const std::set<Entry>& entries() const { return entries_; }

  static std::string to_text(const std::string& reason, std::vector<Entry> entries);

 private:
  std::string path_;
  Checkout home_;
  std::string reason_;
  std::set<Entry> entries_;
};

/// Which entries of a baseline the recipes of one run still need.
///
///   BaselineUse use(baseline);
///   use.add(recipe, "h100 x 16", known, undecided);   // each recipe, with what Baseline::accept
///                                                     // and Baseline::undecided returned
///   use.count(is_there).settled            // entries that can go
class BaselineUse {
 public:
  /// The baseline outlives the object.
  explicit BaselineUse(const Baseline& baseline) : baseline_(&baseline) {}

  const Baseline& baseline() const { return *baseline_; }

  /// `target`: machine_text of the recipe's.
  void add(const recipe::Recipe& recipe,
           const std::string& target,
           const std::vector<Baseline::Entry>& known,
           const std::vector<Baseline::Entry>& undecided);

  /// How many findings were known, and how many entries are settled: those of recipes that were
  /// linted on the entry's target by its rule and that no finding matches, and those of files that
  /// are gone. `is_there` is asked for each file that was not linted, by its entry's name.
  BaselineCount count(const std::function<bool(const std::string&)>& is_there) const;

  /// The entries that are not settled.
  std::vector<Baseline::Entry> left(const std::function<bool(const std::string&)>& is_there) const;

  /// Whether the file was linted, but only on other targets than the entry's.
  bool is_of_another_target(const Baseline::Entry& entry) const;

 private:
  bool is_settled(const Baseline::Entry& entry,
                  const std::function<bool(const std::string&)>& is_there) const;

  const Baseline* baseline_;
  std::set<Baseline::Entry> used_;
  std::set<Baseline::Entry> undecided_;
  std::map<std::string, std::set<std::string>> seen_;  // recipe → targets on which it was linted
};

}  // namespace epwise::session
