#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/lint/lint_report.h"
#include "report/lint/tally.h"
#include "report/spool.h"

namespace epwise::report {

/// How text is drawn. Machine formats ignore it.
struct Style {
  bool colour = false;
  bool unicode = true;      // false: ASCII fallbacks
  int width = 100;          // columns of the terminal; snippets are clipped, sentences wrapped
  bool quiet = false;       // -q: findings only, no summary
  bool hyperlinks = false;  // OSC 8
  bool verbose = false;
};

/// A report in one format that grows file by file, so that no file has to be kept.
class Writing {
 public:
  /// `report` lives as long as this. Checkout, knowledge, selection and strictness are in it from
  /// the beginning, all but `files` when `finish` is called.
  Writing(const LintReport& report, const Style& style) : report_(report), style_(style) {}

  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;
  virtual ~Writing() = default;

  /// Files come in the order of their paths.
  void add(const LintedFile& file);

  /// Everything; call once.
  virtual void finish(const Out& out) = 0;

 protected:
  virtual void put(const LintedFile& file) = 0;

  const LintReport& report() const { return report_; }

  const Style& style() const { return style_; }

  /// What the files so far come to.
  const Tally& sum() const { return sum_; }

  /// What kept epwise from checking everything, a sentence each.
  std::vector<std::string> failures() const;

 private:
  const LintReport& report_;
  Style style_;
  Tally sum_;
};

/// One output format.
struct Writer {
  std::string_view name;  // "full", "concise", "json", "sarif", "github"
  std::string_view summary;
  std::unique_ptr<Writing> (*start)(const LintReport& report, const Style& style) = nullptr;

  /// A report whose files are all there.
  std::string write(const LintReport& report, const Style& style) const;
};

/// THE list of formats.
std::span<const Writer> writers();

const Writer* find_writer(std::string_view name);

}  // namespace epwise::report
