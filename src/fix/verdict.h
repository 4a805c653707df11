#pragma once

#include <string>
#include <vector>

#include "fix/change.h"
#include "lint/finding.h"
#include "session/analysis.h"

namespace epwise::fix {

/// The text of an analysis with a change applied. If that is impossible, `obstacle` gives the reason
/// and the draft is unchanged.
session::Draft changed(const session::Analysis& from, const Change& change, std::string& obstacle);

/// What an analysis is judged by: everything at or above warning, and the launch.
struct Verdict {
  std::vector<std::string> problems;  // names of findings at or above warning, sorted
  std::vector<std::string> findings;  // of all findings, sorted
  std::vector<std::string> open;      // ids of undecided rules, sorted
  std::vector<std::string> waiting;   // ids of rules suppressed by an illegal value, sorted
  // those, and ids of problems that are consequences of others, sorted
  std::vector<std::string> hidden;
  int launch = 0;  // 0 starts, 1 undecided, 2 rejects, 3 not readable
};

/// `launch` of a verdict.
int rank(lint::Verdict verdict);

Verdict verdict_of(const session::Analysis& analysis);

/// Identifies a finding across changes elsewhere.
std::string name_of(const lint::Finding& finding);

/// Adds the rules that failed without being reported.
void add_unreported(const std::vector<const lint::Rule*>& explained,
                    const std::vector<const lint::Rule*>& waiting,
                    Verdict& verdict);

/// Whether `after` no longer has the finding (a rule that became undecided proves nothing), has no
/// new problem, reported or explained by another, and no worse launch. Rules suppressed by an
/// illegal value were failing before.
bool is_better(const Verdict& before, const Verdict& after, const std::string& finding);

}  // namespace epwise::fix
