#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/session.h"
#include "report/lint/writer.h"

namespace epwise::cli {

/// One format and where its text goes.
struct Sink {
  decltype(report::Writer::start) start = nullptr;
  std::string path;         // empty: standard output
  bool append = false;      // keep what the file holds already
  std::string layout = {};  // `template` alone: the text, or the file that holds it
};

/// --format NAME[=PATH] … → sinks; nothing given means `auto`: full text on standard output and,
/// in a GitHub workflow (GITHUB_ACTIONS=true), annotations behind it and Markdown at the end of the
/// file that GITHUB_STEP_SUMMARY names. Throws world::UsageError for an unknown format, two formats
/// on standard output and two in one file. `template=FILE` and `template={{…}}` write to standard
/// output by a Mustache template.
std::vector<Sink> parse_formats(const std::vector<Setting>& formats,
                                const world::Variables& variables);

/// Whether standard output gets the full text, which says everything about a run itself.
bool is_told_in_full(const std::vector<Sink>& sinks);

/// Whether the full text is written anywhere.
bool is_written_in_full(const std::vector<Sink>& sinks);

/// Whether some format shows fixes, so that they have to be tried.
bool shows_fixes(const std::vector<Sink>& sinks);

/// How text looks on standard output: --color, -q, -v, and what the terminal and locale can do.
report::Style style_of(const Arguments& arguments, const Session& session);

/// The report in every format, file by file. Files get no colour and a fixed width.
class ReportOutput {
 public:
  /// `report` lives as long as this. Throws world::UsageError for a template that can't be read or
  /// understood.
  ReportOutput(const report::LintReport& report,
               std::vector<Sink> sinks,
               const report::Style& style,
               const world::Files& files);

  void add(const report::LintedFile& file);

  /// The same; text for people on standard output leaves notes out.
  void add_without_notes(report::LintedFile& file);

  /// Nothing goes to standard output.
  void drop_output();

  /// Returns a sentence for each file that can't be written; the others are written all the same.
  std::vector<std::string> write(std::ostream& out, world::Files& files);

 private:
  std::vector<Sink> sinks_;
  std::vector<std::unique_ptr<report::Writing>> writings_;  // by sink
};

}  // namespace epwise::cli
