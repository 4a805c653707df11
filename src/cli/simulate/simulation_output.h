#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/session.h"

namespace epwise::cli {

/// A format of a prediction and where its text goes.
struct FormatSink {
  std::string name;
  std::string path;  // empty: standard output
};

/// --format NAME[=PATH] … → sinks; nothing given: the first of `names` on standard output. Throws
/// world::UsageError for an unknown format, two on standard output, two in one file.
std::vector<FormatSink> format_sinks(const std::vector<Setting>& formats,
                                     const std::vector<std::string_view>& names);

/// Writes one text: standard output, or the file in one go. Throws world::MissingError.
void write_format(const FormatSink& sink, const std::string& text, Session& session);

}  // namespace epwise::cli
