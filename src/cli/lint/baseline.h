#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "report/lint/lint_report.h"
#include "world/files.h"

namespace epwise::cli {

/// Findings that were known at some day, kept in a file that only shrinks: the ratchet by which a
/// repository with many findings gets to none.
///
///   # epwise: …
///   version: 1
///   reason: before the gate was switched on
///   findings:
///     - {file: recipes/a.yaml, rule: batch/indivisible, fingerprint: "9a0f3c5d1e2b4a67:1"}
///
/// A finding is known by rule, file, places in the document and the values that the rule read, not
/// by its line: another value makes it a new finding.
class Baseline {
 public:
  struct Entry {
    std::string file;  // from the root of the repository, "a.yaml#2" for a later document
    std::string rule;
    std::string fingerprint;

    auto operator<=>(const Entry&) const = default;
  };

  Baseline() = default;

  /// Throws world::UsageError for a file that is missing, can't be read or is no baseline.
  static Baseline read(const world::Files& files, const std::string& path);

  /// Every finding of a document; one that is no readable recipe gives none.
  static std::vector<Entry> entries_of(const report::Checkout& checkout,
                                       const report::LintedFile& file);

  /// Moves the known findings of a file to `accepted`. Nothing of a file that is not readable.
  void accept(const report::Checkout& checkout, report::LintedFile& file);

  /// The same for a result on the way to another text: it counts for nothing, and threads may ask.
  void spare(const report::Checkout& checkout,
             const recipe::Recipe& recipe,
             lint::Result& result) const;

  /// Those of the findings, as they stand in the result, that this file knows.
  std::set<const lint::Finding*> known(const report::Checkout& checkout,
                                       const recipe::Recipe& recipe,
                                       const lint::Result& result) const;

  /// How many findings were known, and how many entries of accepted files nobody needs any more,
  /// nor those of files that are gone: `is_there` is asked for each by its entry's name.
  report::BaselineCount count(const std::function<bool(const std::string&)>& is_there) const;

  /// Of an entry, from the root of the repository: "a.yaml#2" → "a.yaml".
  static std::string file_of(const std::string& name) { return name.substr(0, name.rfind('#')); }

  /// Without the entries that are settled; those of files that were not looked at stay, unless
  /// `is_there` says that the file is gone.
  template <class IsThere>
  std::vector<Entry> left(const IsThere& is_there) const {
    std::vector<Entry> result;
    for (const Entry& entry : entries_) {
      const bool looked_at = seen_.contains(entry.file);
      if (looked_at ? used_.contains(entry) : is_there(entry.file)) {
        result.push_back(entry);
      }
    }
    return result;
  }

  std::size_t size() const { return entries_.size(); }

  const std::string& reason() const { return reason_; }

  static std::string to_text(const std::string& reason, std::vector<Entry> entries);

 private:
  std::string path_;
  std::string reason_;
  std::set<Entry> entries_;
  std::set<Entry> used_;
  std::set<std::string> seen_;  // files that were linted
};

}  // namespace epwise::cli
