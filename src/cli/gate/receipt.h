#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/exit_code.h"
#include "cli/gate/witness_files.h"
#include "report/lint/lint_report.h"
#include "report/spool.h"
#include "world/files.h"

namespace epwise::cli {

/// What a gate found, for whoever starts the job later: every file by its SHA-256, the values of
/// the recipes, what they were checked against, the rule set and the result, under a seal. The seal
/// tells damage, not forgery.
///   {"schema": "epwise.receipt/1", "tool": "0.1.0", "rules": "9a0f…", "exit_code": 0,
///    "files": [{"path", "sha256"}], "absent": [path…], "recipes": [{"path", "framework",
///    "version", "target", "launch", "values": {…}}], "budgets": [...], "seal": "…"}
class Receipt {
 public:
  void add(const report::LintedFile& file);

  /// What else the result rests on: everything that was read but `skipped`, which held no recipe,
  /// and what was not there.
  void add(const WitnessFiles& files, const std::vector<std::string>& skipped);

  /// `report` without its files. Throws world::MissingError for more than verifying would read.
  std::string text(const report::LintReport& report) const;

 private:
  std::map<std::string, std::string> hashes_;  // files by name, each as it was read
  std::set<std::string> absent_;
  report::Spool recipes_;
};

/// What a receipt is worth now.
struct Verification {
  ExitCode code = ExitCode::clean;
  std::vector<std::string> sentences;  // why it is worth nothing; empty when all is well
};

/// Clean: sealed, written by this program with these rules, of a gate that passed, and every file
/// is as it was, there or not. Findings: one of these is not so. Unreadable: it can't be read, or
/// is no receipt. Loads no rules.
Verification verify_receipt(const world::Files& files, const std::string& path);

}  // namespace epwise::cli
