#include "ui/report_output.h"

#include <algorithm>
#include <array>
#include <optional>
#include <ostream>
#include <string_view>

#include <fmt/core.h>

#include "base/os/files.h"
#include "base/text/spelling.h"
#include "ui/findings/template.h"
#include "ui/findings/writer.h"

namespace epwise::cli {

namespace {

using os::MissingError;
using os::UsageError;

constexpr std::string_view kTemplateName = "template";

decltype(Sink::start) writer_of(const std::string& name, const std::string& source) {
  if (const report::Writer* writer = report::find_writer(name)) {
    return writer->start;
  }
  std::vector<std::string_view> names{"auto"};
  for (const report::Writer& writer : report::writers()) {
    names.push_back(writer.name);
  }
  names.push_back(kTemplateName);
  throw UsageError(
      fmt::format("{}: no format `{}`{}", source, name, text::did_you_mean(name, names)));
}

void add_automatic(const std::string& source,
                   const os::Variables& variables,
                   std::vector<Sink>& sinks) {
  sinks.push_back({writer_of("full", source), "", false});
  if (variables.get("GITHUB_ACTIONS") != "true") {
    return;
  }
  sinks.push_back({writer_of("github", source), "", false});
  if (const auto summary = variables.get("GITHUB_STEP_SUMMARY"); summary && !summary->empty()) {
    sinks.push_back({writer_of("markdown", source), *summary, true});
  }
}

/// Files are compared before the command runs (app/outputs.h).
void check_standard_output(const std::vector<Setting>& formats, const std::vector<Sink>& sinks) {
  const auto is_shown = [](const Sink& sink) { return sink.path.empty(); };
  if (std::ranges::count_if(sinks, is_shown) > 1) {
    throw UsageError(
        fmt::format("{}: two formats cannot both go to standard output; write one of them to a "
                    "file, for example --format sarif=FILE",
                    formats.back().source));
  }
}

void write_file(const Sink& sink, report::Writing& writing, os::Files& files) {
  const std::string before =
      sink.append && files.is_file(sink.path) ? files.read(sink.path) : std::string();
  os::write_parts(files, sink.path, [&](const report::Out& out) {
    out(before);
    writing.finish(out);
  });
}

/// In a word of a command, line feeds and tabs are written as in printf.
std::string unfolded(std::string_view word) {
  std::string text;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool escape = word[i] == '\\' && i + 1 < word.size();
    if (escape && (word[i + 1] == 'n' || word[i + 1] == 't')) {
      text += word[++i] == 'n' ? '\n' : '\t';
    } else {
      text += word[i];
    }
  }
  return text;
}

std::string template_text(const std::string& layout, const os::Files& files) {
  const bool inline_text = layout.find("{{") != std::string::npos;
  std::string text;
  try {
    text = inline_text ? unfolded(layout) : files.read(layout);
  } catch (const MissingError& error) {
    throw UsageError(fmt::format("--format template: {}", error.what()));
  }
  if (const std::string problem = report::template_problem(text); !problem.empty()) {
    throw UsageError(fmt::format("--format template: {}", problem));
  }
  for (const std::string& name : report::unknown_template_names(text)) {
    const auto known = report::template_names();
    throw UsageError(fmt::format("--format template: there is no name `{}`{}",
                                 name,
                                 text::did_you_mean(name, {known.begin(), known.end()})));
  }
  return text;
}

}  // namespace

bool is_standard_output(std::string_view path) {
  constexpr std::array<std::string_view, 4> kNames = {
      "-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
  return std::ranges::find(kNames, path) != kNames.end();
}

std::vector<Sink> parse_formats(const std::vector<Setting>& formats,
                                const os::Variables& variables) {
  std::vector<Sink> sinks;
  std::vector<Sink> chosen;  // only `auto` may put two formats on standard output
  bool automatic = formats.empty();
  for (const Setting& format : formats) {
    const std::size_t equals = format.value.find('=');
    const std::string name = format.value.substr(0, equals);
    const std::string path = equals == std::string::npos ? "" : format.value.substr(equals + 1);
    if (equals != std::string::npos && path.empty()) {
      throw UsageError(fmt::format("{}: `{}` does not name a file", format.source, format.value));
    }
    if (name == kTemplateName && path.empty()) {
      throw UsageError(fmt::format(
          "{}: template=FILE, or template='{{{{#findings}}}}…{{{{/findings}}}}'", format.source));
    }
    if (name == kTemplateName) {
      chosen.push_back({report::start_full, "", false, path});
    } else if (name == "auto") {
      automatic = true;
      chosen.push_back({nullptr, "", false});
    } else {
      chosen.push_back(
          {writer_of(name, format.source), is_standard_output(path) ? "" : path, false});
    }
  }
  check_standard_output(formats, chosen);
  if (automatic) {
    add_automatic(formats.empty() ? "--format" : formats.front().source, variables, sinks);
  }
  std::ranges::copy_if(
      chosen, std::back_inserter(sinks), [](const Sink& sink) { return sink.start != nullptr; });
  return sinks;
}

bool is_told_in_full(const std::vector<Sink>& sinks) {
  return std::ranges::any_of(sinks, [](const Sink& sink) {
    return sink.path.empty() && sink.layout.empty() && sink.start == report::start_full;
  });
}

bool is_written_in_full(const std::vector<Sink>& sinks) {
  return std::ranges::any_of(sinks, [](const Sink& sink) {
    return sink.layout.empty() && sink.start == report::start_full;
  });
}

bool shows_fixes(const std::vector<Sink>& sinks) {
  return std::ranges::any_of(sinks, [](const Sink& sink) {
    return sink.start == report::start_full || sink.start == report::start_json ||
           sink.start == report::start_sarif || sink.start == report::start_rdjson;
  });
}

report::Style style_of(const Arguments& arguments, const Console& console) {
  const std::optional<Setting> colour = arguments.one("--color");
  report::Style style;
  style.colour =
      wants_colour(colour ? colour->value : "auto", console.terminal.out, console.variables);
  style.unicode = wants_unicode(console.variables);
  style.width = text_width(console.terminal, console.variables);
  style.quiet = arguments.flag("--quiet");
  style.verbose = arguments.flag("--verbose");
  style.hyperlinks = style.colour && console.terminal.out;
  return style;
}

ReportOutput::ReportOutput(const report::LintReport& report,
                           std::vector<Sink> sinks,
                           const report::Style& style,
                           const os::Files& files)
    : sinks_(std::move(sinks)) {
  report::Style plain;
  plain.quiet = style.quiet;
  plain.verbose = style.verbose;
  writings_.reserve(sinks_.size());
  for (const Sink& sink : sinks_) {
    writings_.push_back(
        sink.layout.empty()
            ? sink.start(report, sink.path.empty() ? style : plain)
            : report::start_template(report, plain, template_text(sink.layout, files)));
  }
}

void ReportOutput::add(const report::LintedFile& file) {
  for (const auto& writing : writings_) {
    writing->add(file);
  }
}

void ReportOutput::add_without_notes(report::LintedFile& file) {
  const auto is_for_people = [](const Sink& sink) {
    return sink.path.empty() && sink.layout.empty() &&
           (sink.start == report::start_full || sink.start == report::start_concise);
  };
  for (std::size_t i = 0; i < sinks_.size(); ++i) {
    if (!is_for_people(sinks_[i])) {
      writings_[i]->add(file);
    }
  }
  std::vector<lint::Finding> all = file.result.findings;
  std::erase_if(file.result.findings, [](const lint::Finding& finding) {
    return finding.severity == lint::Severity::note;
  });
  for (std::size_t i = 0; i < sinks_.size(); ++i) {
    if (is_for_people(sinks_[i])) {
      writings_[i]->add(file);
    }
  }
  file.result.findings = std::move(all);
}

void ReportOutput::drop_output() {
  for (std::size_t i = sinks_.size(); i-- > 0;) {
    if (sinks_[i].path.empty()) {
      sinks_.erase(sinks_.begin() + static_cast<std::ptrdiff_t>(i));
      writings_.erase(writings_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

std::vector<std::string> ReportOutput::write(std::ostream& out, os::Files& files) {
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < sinks_.size(); ++i) {
    if (sinks_[i].path.empty()) {
      writings_[i]->finish([&out](std::string_view part) { out << part; });
      continue;
    }
    try {
      write_file(sinks_[i], *writings_[i], files);
    } catch (const MissingError& error) {
      problems.emplace_back(error.what());
    }
  }
  return problems;
}

}  // namespace epwise::cli
