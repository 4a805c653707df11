#pragma once

#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/session.h"
#include "report/writer.h"

namespace epwise::cli {

/// One format and where its text goes.
struct Sink {
  std::string (*write)(const report::LintReport& report, const report::Style& style) = nullptr;
  std::string path;     // empty: standard output
  bool append = false;  // keep what the file holds already
};

/// --format NAME[=PATH] … → sinks; nothing given means `auto`: full text on standard output and,
/// in a GitHub workflow (GITHUB_ACTIONS=true), annotations behind it and Markdown at the end of the
/// file that GITHUB_STEP_SUMMARY names. Throws world::UsageError for an unknown format, two formats
/// on standard output and two in one file.
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

/// Writes the report in every format. Files get no colour and a fixed width. Returns a sentence for
/// each file that can't be written; the others are written all the same.
std::vector<std::string> write_report(const report::LintReport& report,
                                      const std::vector<Sink>& sinks,
                                      const report::Style& style,
                                      Session& session);

}  // namespace epwise::cli
