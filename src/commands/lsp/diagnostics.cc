#include "commands/lsp/diagnostics.h"

#include <algorithm>

#include <fmt/format.h>

#include "commands/lsp/client.h"
#include "commands/lsp/position.h"

namespace epwise::lsp {

namespace {

int severity_of(lint::Severity severity) {
  switch (severity) {
    case lint::Severity::error:
      return 1;
    case lint::Severity::warning:
      return 2;
    case lint::Severity::note:
      break;
  }
  return 3;
}

/// The rest of the line in which something begins.
text::Mark first_line(const text::SourceFile& file, std::size_t begin) {
  const int number = file.position(begin).line;
  const auto line = file.line(number);
  const std::size_t end = file.line_offset(number) + line.size();
  return {
      &file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(std::max(begin, end))};
}

/// The URI of a text; empty for anything but a file.
std::string uri_of(const LintedDocument& reading,
                   const text::SourceFile& file,
                   const std::string& uri) {
  if (&file == reading.file.get()) {
    return uri;
  }
  const auto other = reading.paths.find(&file);
  return other == reading.paths.end() ? std::string() : file_uri(other->second);
}

Json related_of(const LintedDocument& reading,
                const lint::Finding& finding,
                const std::string& uri,
                const Client& client) {
  Json all = Json::array();
  const auto add = [&](const lint::Location& location) {
    const std::string where =
        location.mark.nowhere() ? std::string() : uri_of(reading, *location.mark.file, uri);
    if (!where.empty()) {
      const Range range = range_of(location.mark, client.encoding);
      all.push_back({{"location", {{"uri", where}, {"range", json_of(range)}}},
                     {"message", location.label.empty() ? location.pointer : location.label}});
    }
  };
  if (!finding.primary.mark.nowhere() && finding.primary.mark.file != reading.file.get()) {
    add(finding.primary);
  }
  for (const lint::Location& location : finding.related) {
    add(location);
  }
  return all;
}

Json plain(const text::Mark& mark,
           int severity,
           const std::string& message,
           const std::string& code,
           const Client& client) {
  return {{"range", json_of(range_of(mark, client.encoding))},
          {"severity", severity},
          {"code", code},
          {"source", "epwise"},
          {"message", message}};
}

}  // namespace

text::Mark place_of(const LintedDocument& reading,
                    const session::Analysis& analysis,
                    const text::Mark& mark) {
  if (mark.file == reading.file.get()) {
    return mark;
  }
  const bool here = analysis.recipe && analysis.recipe->root.file == reading.file.get();
  return first_line(*reading.file, here ? analysis.recipe->root.begin : 0);
}

Json diagnostic_of(const LintedDocument& reading,
                   const session::Analysis& analysis,
                   const lint::Finding& finding,
                   const std::string& uri,
                   const Client& client) {
  Json json = plain(place_of(reading, analysis, finding.primary.mark),
                    severity_of(finding.severity),
                    finding.message,
                    std::string(finding.rule->id),
                    client);
  if (client.related) {
    Json related = related_of(reading, finding, uri, client);
    if (!related.empty()) {
      json["relatedInformation"] = std::move(related);
    }
  }
  json["data"] = {{"code", finding.rule->code}};
  return json;
}

Json diagnostics_of(const LintedDocument& reading, const std::string& uri, const Client& client) {
  Json all = Json::array();
  if (!reading.problem.empty()) {
    all.push_back(plain(first_line(*reading.file, 0), 1, reading.problem, "configuration", client));
  }
  for (const text::Diagnostic& fault : reading.faults) {
    const text::Mark mark = fault.mark.nowhere() ? first_line(*reading.file, 0) : fault.mark;
    const std::string help = fault.help.empty() ? "" : fmt::format("; {}", fault.help);
    all.push_back(plain(mark, 1, fault.message + help, fault.rule, client));
  }
  for (const session::Analysis& analysis : reading.analyses) {
    for (const lint::Finding& finding : analysis.result.findings) {
      all.push_back(diagnostic_of(reading, analysis, finding, uri, client));
    }
  }
  return all;
}

}  // namespace epwise::lsp
