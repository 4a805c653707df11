#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/forwarding_files.h"
#include "base/text/sha256.h"
#include "session/files/places.h"
#include "ui/console.h"
#include "ui/exit_code.h"
#include "ui/findings/lint_report.h"
#include "ui/spool.h"

namespace epwise::cli {

/// A file system that records accesses: the inputs of a result other than the recipes (configuration,
/// baseline, profiles, calibrations, budget inputs), and the files that were not found.
/// Thread-safe.
class WitnessFiles : public os::ForwardingFiles {
 public:
  explicit WitnessFiles(os::Files& below) : ForwardingFiles(below) {}

  std::string read(const std::string& path,
                   std::size_t limit = static_cast<std::size_t>(-2)) const override {
    std::string text = ForwardingFiles::read(path, limit);
    note(path, text);
    return text;
  }

  std::string read_regular(const std::string& path, std::size_t limit) const override {
    std::string text = ForwardingFiles::read_regular(path, limit);
    note(path, text);
    return text;
  }

  bool is_file(const std::string& path) const override {
    const bool found = underlying().is_file(path);
    const std::string name = found || underlying().is_directory(path) ? "" : name_of(path);
    if (!name.empty()) {
      const std::lock_guard<std::mutex> lock(mutex_);
      absent_.insert(name);
    }
    return found;
  }

  /// SHA-256 of each file when it was last read, relative to the working directory. Omits absolute
  /// paths outside this checkout, which belong to the machine.
  const std::map<std::string, std::string>& read_files() const { return read_; }

  /// Files that were looked up but did not exist.
  const std::set<std::string>& absent() const { return absent_; }

 private:
  void note(const std::string& path, const std::string& text) const {
    if (const std::string name = name_of(path); !name.empty()) {
      std::string hash = text::sha256(text);
      const std::lock_guard<std::mutex> lock(mutex_);
      read_.insert_or_assign(name, std::move(hash));
    }
  }

  /// Git's own files and ignore lists affect which recipes are found, not their results.
  static bool is_bookkeeping(const std::string& path) {
    return path.ends_with("/.git") || path == ".git" || path.find(".git/") != std::string::npos ||
           path.ends_with(".gitignore") || path.ends_with(".epwiseignore");
  }

  /// Relative to the working directory; empty for files that no result depends on, and for files of
  /// the machine.
  std::string name_of(const std::string& path) const {
    if (is_bookkeeping(path)) {
      return {};
    }
    if (!path.starts_with('/')) {
      return path;
    }
    return below(root_, path) ? shown(underlying(), path) : std::string();
  }

  std::string root_;  // of the repository

  mutable std::mutex mutex_;
  mutable std::map<std::string, std::string> read_;
  mutable std::set<std::string> absent_;
};

/// The result of a gate for a later job start: every file by its SHA-256, the values of the
/// recipes, the target, the rule set and the result, with a checksum. The checksum detects damage,
/// not forgery.
///   {"schema": "epwise.receipt/1", "tool": "0.1.0", "rules": "9a0f…", "exit_code": 0,
///    "valid_until": "2027-03-01" or null: the last day on which every finding is still accepted,
///    "files": [{"path", "sha256"}], "absent": [path…], "folders": [{"path", "files": [path…]}]:
///    what each directory or pattern selected, "others": [{"path", "sha256"}]: selected files that
///    were not recipes, "recipes": [{"path", "framework", "version", "target", "launch",
///    "values": {…}}], "budgets": [...], "seal": "…"}
class Receipt {
 public:
  void add(const report::LintedFile& file);

  /// What the directories and patterns among `operands` select: a file that joins them later was not
  /// checked.
  void add(const os::Files& files, const std::vector<std::string>& operands);

  /// Further inputs of the result: everything that was read, except `skipped` files that are not
  /// recipes, and files that did not exist.
  void add(const WitnessFiles& files, const std::vector<std::string>& skipped);

  /// `report` without its files. Throws os::MissingError for more than verifying would read.
  std::string text(const report::LintReport& report) const;

 private:
  std::map<std::string, std::string> hashes_;  // files by name, as read
  std::map<std::string, std::string> others_;  // selected, but not recipes
  std::set<std::string> absent_;
  std::map<std::string, std::vector<std::string>> folders_;
  std::string valid_until_;  // empty: any day
  report::Spool recipes_;
};

/// Whether a receipt is still valid.
struct Verification {
  ExitCode code = ExitCode::clean;
  std::vector<std::string> sentences;  // why it is invalid; empty if valid
};

/// Clean: intact, written by this program with these rules, for a gate that passed, and every file
/// is unchanged, including missing ones, no file was added to a directory that was checked, none
/// became a recipe, and no acceptance has expired on `today` ("2026-11-22").
/// Findings: one of these does not hold. Unreadable: it cannot be read or is not a receipt. Loads no
/// rules.
Verification verify_receipt(const os::Files& files,
                            const std::string& path,
                            const std::string& today);

}  // namespace epwise::cli
