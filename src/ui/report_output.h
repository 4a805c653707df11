#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "session/options/arguments.h"
#include "ui/console.h"
#include "ui/findings/writer.h"

namespace epwise::cli {

/// One format and its destination.
struct Sink {
  decltype(report::Writer::start) start = nullptr;
  std::string path;         // empty: standard output
  bool append = false;      // append to the file
  std::string layout = {};  // only for `template`: its text, or its file
};

/// Whether a path names standard output: "-", "/dev/stdout".
bool is_standard_output(std::string_view path);

/// --format NAME[=PATH] … → sinks; nothing given means `auto`: full text on standard output and,
/// in a GitHub workflow (GITHUB_ACTIONS=true), annotations after it and Markdown at the end of the
/// file that GITHUB_STEP_SUMMARY names. Throws os::UsageError for an unknown format, two formats
/// on standard output and two in one file. `template=FILE` and `template={{…}}` write to standard
/// output by a Mustache template.
std::vector<Sink> parse_formats(const std::vector<Setting>& formats,
                                const os::Variables& variables);

/// Whether standard output gets the full text, which includes everything about the run itself.
bool is_told_in_full(const std::vector<Sink>& sinks);

/// Whether the full text is written anywhere.
bool is_written_in_full(const std::vector<Sink>& sinks);

/// Whether any format shows fixes, so that they must be verified.
bool shows_fixes(const std::vector<Sink>& sinks);

/// Text style for standard output: --color, -q, -v, and the capabilities of terminal and locale.
report::Style style_of(const Arguments& arguments, const Console& console);

/// The report in every format, file by file. Files get no colour and a fixed width.
class ReportOutput {
 public:
  /// `report` lives as long as this. Throws os::UsageError for a template that can't be read or
  /// understood.
  ReportOutput(const report::LintReport& report,
               std::vector<Sink> sinks,
               const report::Style& style,
               const os::Files& files);

  void add(const report::LintedFile& file);

  /// The same; human-readable text on standard output omits notes.
  void add_without_notes(report::LintedFile& file);

  /// Nothing goes to standard output.
  void drop_output();

  /// Returns one message for each file that cannot be written; the others are still written.
  std::vector<std::string> write(std::ostream& out, os::Files& files);

 private:
  std::vector<Sink> sinks_;
  std::vector<std::unique_ptr<report::Writing>> writings_;  // by sink
};

}  // namespace epwise::cli
