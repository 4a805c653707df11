#include "cli/simulate/simulation_output.h"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "text/spelling.h"

namespace epwise::cli {

std::vector<FormatSink> format_sinks(const std::vector<Setting>& formats,
                                     const std::vector<std::string_view>& names) {
  std::vector<FormatSink> sinks;
  for (const Setting& format : formats) {
    const std::size_t equals = format.value.find('=');
    FormatSink sink{format.value.substr(0, equals), {}};
    if (std::ranges::find(names, sink.name) == names.end()) {
      throw world::UsageError(fmt::format(
          "{}: no format `{}`{}", format.source, sink.name, text::did_you_mean(sink.name, names)));
    }
    if (equals != std::string::npos) {
      sink.path = format.value.substr(equals + 1);
      if (sink.path.empty()) {
        throw world::UsageError(fmt::format("{}: `{}` names no file", format.source, format.value));
      }
      sink.path = sink.path == "-" ? "" : sink.path;
    }
    if (std::ranges::find(sinks, sink.path, &FormatSink::path) != sinks.end()) {
      throw world::UsageError(
          fmt::format("{}: two formats can't both go to {}; give one of them a file, like "
                      "--format html=FILE",
                      format.source,
                      sink.path.empty() ? "standard output" : sink.path));
    }
    sinks.push_back(std::move(sink));
  }
  if (sinks.empty()) {
    sinks.push_back({std::string(names.front()), {}});
  }
  return sinks;
}

void write_format(const FormatSink& sink, const std::string& text, Session& session) {
  if (sink.path.empty()) {
    session.out << text;
  } else {
    session.files.write_atomically(sink.path, text);
  }
}

}  // namespace epwise::cli
