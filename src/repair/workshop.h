#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lint/finding.h"
#include "lint/influence.h"
#include "repair/bench.h"
#include "repair/plan.h"
#include "repair/search.h"

namespace epwise::repair {

/// The fixes of a recipe's findings as options of a search: each set of them is made on the text
/// and linted.
class Workshop : public Situation {
 public:
  /// Which errors have to go: those that some fix may settle, or only those that offer one.
  enum class Goal : std::uint8_t { all_within_reach, all_with_fixes };

  Workshop(const Bench& bench, const Trial& before, lint::Tier highest, Goal goal);

  /// Only this finding has to go, by its own fixes and those of what they bring along.
  Workshop(const Bench& bench, const Trial& before, lint::Tier highest, const lint::Finding& only);

  const Option& option(int number) const override { return fixes_[place(number)].option; }

  Outcome look(const std::vector<int>& chosen) override;

  /// The recipe with these options; the last set that was looked at costs nothing.
  const Trial& made(const std::vector<int>& chosen);

  const Repair& repair(int number) const { return fixes_[place(number)].repair; }

  /// Without marks: they would point into a text that may be gone.
  const lint::Fix& fix(int number) const { return fixes_[place(number)].fix; }

  int trials() const { return trials_; }

 private:
  struct Candidate {
    Option option;
    lint::Fix fix;
    Repair repair;
    Change change;
    std::set<std::string> lines;  // the text of those that it edits
  };

  static std::size_t place(int number) { return static_cast<std::size_t>(number); }

  void offer(const lint::Finding& finding, const Trial& trial);
  std::vector<int> hitters(const lint::Rule& rule) const;
  std::vector<int> hitters(const lint::Finding& finding) const;

  const Bench& bench_;
  const Trial& before_;
  lint::Tier highest_;
  std::optional<lint::Influence> influence_;  // none: every option may settle anything
  Verdict verdict_;                           // of the recipe as it is
  std::set<std::string> targets_;             // findings that can be settled and have to be
  std::vector<Candidate> fixes_;
  std::map<std::string, int> numbers_;  // by what a fix does
  std::vector<int> last_;
  Trial trial_;
  std::string obstacle_;
  int trials_ = 0;
};

}  // namespace epwise::repair
