#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ui/findings/lint_report.h"
#include "ui/spool.h"

namespace epwise::report {

/// Text style. Machine formats ignore it.
struct Style {
  bool colour = false;
  bool unicode = true;      // false: ASCII fallbacks
  int width = 100;          // columns of the terminal; snippets are clipped, sentences wrapped
  bool quiet = false;       // -q: only findings, no summary
  bool hyperlinks = false;  // OSC 8
  bool verbose = false;
};

/// A report in one format that is written file by file, so that no file has to be kept.
class Writing {
 public:
  /// `report` must outlive this. Checkout, knowledge, selection and strictness are set from the
  /// beginning, everything except `files` when `finish` is called.
  Writing(const LintReport& report, const Style& style) : report_(report), style_(style) {}

  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;
  virtual ~Writing() = default;

  /// Files arrive in path order.
  void add(const LintedFile& file);

  /// The complete report; call once.
  virtual void finish(const Out& out) = 0;

 protected:
  virtual void put(const LintedFile& file) = 0;

  const LintReport& report() const { return report_; }

  const Style& style() const { return style_; }

  /// The totals so far.
  const Tally& sum() const { return sum_; }

  /// What prevented epwise from checking everything, one message each.
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

  /// A report with all its files.
  std::string write(const LintReport& report, const Style& style) const;
};

/// The list of formats.
std::span<const Writer> writers();

const Writer* find_writer(std::string_view name);

}  // namespace epwise::report

/// One function per format; listed in all.cc.

namespace epwise::report {

std::unique_ptr<Writing> start_full(const LintReport& report, const Style& style);
std::unique_ptr<Writing> start_concise(const LintReport& report, const Style& style);
std::unique_ptr<Writing> start_json(const LintReport& report, const Style& style);
std::unique_ptr<Writing> start_sarif(const LintReport& report, const Style& style);
std::unique_ptr<Writing> start_github(const LintReport& report, const Style& style);
std::unique_ptr<Writing> start_markdown(const LintReport& report, const Style& style);
std::unique_ptr<Writing> start_junit(const LintReport& report, const Style& style);
std::unique_ptr<Writing> start_gitlab(const LintReport& report, const Style& style);
std::unique_ptr<Writing> start_rdjson(const LintReport& report, const Style& style);

}  // namespace epwise::report
