#include "cli/report_output.h"

#include <algorithm>
#include <optional>
#include <ostream>
#include <string_view>

#include <fmt/core.h>

#include "report/formats.h"
#include "text/spelling.h"

namespace epwise::cli {

namespace {

using world::MissingError;
using world::UsageError;

using Write = decltype(Sink::write);

Write writer_of(const std::string& name, const std::string& source) {
  if (const report::Writer* writer = report::find_writer(name)) {
    return writer->write;
  }
  std::vector<std::string_view> names{"auto"};
  for (const report::Writer& writer : report::writers()) {
    names.push_back(writer.name);
  }
  throw UsageError(
      fmt::format("{}: no format `{}`{}", source, name, text::did_you_mean(name, names)));
}

std::string write_summary(const report::LintReport& report, const report::Style& /*style*/) {
  return report::github_step_summary(report);
}

void add_automatic(const std::string& source,
                   const world::Variables& variables,
                   std::vector<Sink>& sinks) {
  sinks.push_back({writer_of("full", source), "", false});
  if (variables.get("GITHUB_ACTIONS") != "true") {
    return;
  }
  sinks.push_back({writer_of("github", source), "", false});
  if (const auto summary = variables.get("GITHUB_STEP_SUMMARY"); summary && !summary->empty()) {
    sinks.push_back({write_summary, *summary, true});
  }
}

void check_places(const std::vector<Setting>& formats, const std::vector<Sink>& sinks) {
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (sinks[i].path == sinks[j].path) {
        throw UsageError(
            fmt::format("{}: two formats can't both go to {}; give one of them a file, like "
                        "--format sarif=FILE",
                        formats.back().source,
                        sinks[i].path.empty() ? "standard output" : sinks[i].path));
      }
    }
  }
}

void write_file(const Sink& sink, const std::string& text, world::Files& files) {
  std::string content;
  if (sink.append && files.is_file(sink.path)) {
    content = files.read(sink.path);
  }
  files.write_atomically(sink.path, content + text);
}

}  // namespace

std::vector<Sink> parse_formats(const std::vector<Setting>& formats,
                                const world::Variables& variables) {
  std::vector<Sink> sinks;
  std::vector<Sink> chosen;  // `auto` may put two formats on standard output, a user may not
  bool automatic = formats.empty();
  for (const Setting& format : formats) {
    const std::size_t equals = format.value.find('=');
    const std::string name = format.value.substr(0, equals);
    const std::string path = equals == std::string::npos ? "" : format.value.substr(equals + 1);
    if (equals != std::string::npos && path.empty()) {
      throw UsageError(fmt::format("{}: `{}` names no file", format.source, format.value));
    }
    if (name == "auto") {
      automatic = true;
      chosen.push_back({nullptr, "", false});
    } else {
      chosen.push_back({writer_of(name, format.source), path == "-" ? "" : path, false});
    }
  }
  check_places(formats, chosen);
  if (automatic) {
    add_automatic(formats.empty() ? "--format" : formats.front().source, variables, sinks);
  }
  std::ranges::copy_if(
      chosen, std::back_inserter(sinks), [](const Sink& sink) { return sink.write != nullptr; });
  return sinks;
}

bool is_told_in_full(const std::vector<Sink>& sinks) {
  return std::ranges::any_of(sinks, [](const Sink& sink) {
    return sink.path.empty() && sink.write == report::write_full;
  });
}

bool is_written_in_full(const std::vector<Sink>& sinks) {
  return std::ranges::find(sinks, &report::write_full, &Sink::write) != sinks.end();
}

bool shows_fixes(const std::vector<Sink>& sinks) {
  return std::ranges::any_of(sinks, [](const Sink& sink) {
    return sink.write == report::write_full || sink.write == report::write_json ||
           sink.write == report::write_sarif || sink.write == report::write_rdjson;
  });
}

report::Style style_of(const Arguments& arguments, const Session& session) {
  const std::optional<Setting> colour = arguments.one("--color");
  report::Style style;
  style.colour =
      wants_colour(colour ? colour->value : "auto", session.terminal.out, session.variables);
  style.unicode = wants_unicode(session.variables);
  style.width = text_width(session.terminal, session.variables);
  style.quiet = arguments.flag("--quiet");
  style.verbose = arguments.flag("--verbose");
  style.hyperlinks = style.colour && session.terminal.out;
  return style;
}

std::vector<std::string> write_report(const report::LintReport& report,
                                      const std::vector<Sink>& sinks,
                                      const report::Style& style,
                                      Session& session) {
  report::Style plain;
  plain.quiet = style.quiet;
  plain.verbose = style.verbose;
  std::vector<std::string> problems;
  for (const Sink& sink : sinks) {
    if (sink.path.empty()) {
      session.out << sink.write(report, style);
      continue;
    }
    try {
      write_file(sink, sink.write(report, plain), session.files);
    } catch (const MissingError& error) {
      problems.emplace_back(error.what());
    }
  }
  return problems;
}

}  // namespace epwise::cli
