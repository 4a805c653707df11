#pragma once

#include <cstdint>
#include <map>
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

  const Option& option(int number) const override { return fixes_[place(number)].option; }

  Outcome look(const std::vector<int>& chosen) override;

  /// The recipe with these options; the last set that was looked at costs nothing.
  const Trial& made(const std::vector<int>& chosen);

  const Repair& repair(int number) const { return fixes_[place(number)].repair; }

  int trials() const { return trials_; }

 private:
  struct Candidate {
    Option option;
    Repair repair;
    Change change;
  };

  static std::size_t place(int number) { return static_cast<std::size_t>(number); }

  void offer(const lint::Finding& finding, const Trial& trial);
  std::vector<int> hitters(const lint::Rule& rule) const;

  const Bench& bench_;
  const Trial& before_;
  lint::Tier highest_;
  lint::Influence influence_;
  Verdict verdict_;                 // of the recipe as it is
  std::set<std::string> errors_;    // that can be settled
  std::set<std::string> hopeless_;  // errors that no fix of the tier can settle
  std::vector<Candidate> fixes_;
  std::map<std::string, int> numbers_;  // by what a fix does
  std::vector<int> last_;
  Trial trial_;
  std::string obstacle_;
  int trials_ = 0;
};

}  // namespace epwise::repair
