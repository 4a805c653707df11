#include "yaml/parse.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "yaml/abridgement.h"
#include "yaml/admission.h"
#include "yaml/events.h"
#include "yaml/stream_builder.h"
#include "yaml/syntax.h"

namespace epwise::yaml {

namespace {

/// Thrown out of the tokeniser's call-backs to stop it; caught in this file.
struct Stop {
  text::Diagnostic why;
};

class Recorder : public YAML::EventHandler {
 public:
  Recorder(const text::SourceFile& file, const Abridgement& source, const Limits& limits)
      : file_(file),
        source_(source),
        limits_(limits) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    record_ = {};
    record_.start = offset(mark);
  }

  void OnDocumentEnd() override { record_.complete = true; }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(Event::Type::null, mark, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(Event::Type::alias, mark, anchor);
  }

  void OnScalar(const YAML::Mark& mark,
                const std::string& /*tag*/,
                YAML::anchor_t anchor,
                const std::string& value) override {
    Event& event = add(Event::Type::scalar, mark, anchor);
    const std::string_view word = source_.word(event.at);
    event.text = word.empty() ? value : std::string(word);
  }

  void OnSequenceStart(const YAML::Mark& mark,
                       const std::string& tag,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(Event::Type::sequence, mark, tag, anchor, style);
  }

  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark,
                  const std::string& tag,
                  YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(Event::Type::mapping, mark, tag, anchor, style);
  }

  void OnMapEnd() override { close(); }

  Record& record() { return record_; }

  std::uint32_t offset(const YAML::Mark& mark) const {
    const auto place = static_cast<std::size_t>(std::max(mark.pos, 0));
    return static_cast<std::uint32_t>(std::min(source_.original(place), source_.source.size()));
  }

 private:
  Event& add(Event::Type type, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (++nodes_ > limits_.nodes) {
      stop(mark, "yaml/too-many-nodes", "too many values in one file", "split the file");
    }
    Event& event = record_.events.emplace_back();
    event.type = type;
    event.at = offset(mark);
    event.anchor = static_cast<std::uint32_t>(anchor);
    return event;
  }

  /// The tokeniser's parser recurses once for each collection that it announces here, so that this
  /// limit also bounds its use of the stack.
  void open(Event::Type type,
            const YAML::Mark& mark,
            const std::string& tag,
            YAML::anchor_t anchor,
            YAML::EmitterStyle::value style) {
    if (static_cast<int>(record_.open.size()) >= limits_.depth) {
      stop(mark, "yaml/too-deep", "lists and mappings are nested too deep", "flatten the file");
    }
    record_.open.push_back(record_.events.size());
    Event& event = add(type, mark, anchor);
    event.flow = style == YAML::EmitterStyle::Flow;
    event.tagged = tag != "?" && !tag.empty();
  }

  void close() {
    record_.open.pop_back();
    record_.events.emplace_back().type = Event::Type::end;
  }

  [[noreturn]] void stop(const YAML::Mark& mark,
                         const char* rule,
                         const char* message,
                         const char* help) {
    const auto size = static_cast<std::uint32_t>(file_.bytes().size());
    const std::uint32_t begin = offset(mark);
    throw Stop{{rule, {&file_, begin, std::min(begin + 1, size)}, message, {}, help}};
  }

  const text::SourceFile& file_;
  const Abridgement& source_;
  const Limits& limits_;
  Record record_;
  std::size_t nodes_ = 0;
};

/// The text with other marks of the same length for the line ends that Python knows and yaml-cpp
/// doesn't: a lone CR, U+0085, U+2028 and U+2029. Offsets stay. Blanks behind the last line
/// end are left out, since yaml-cpp takes them for content of a block scalar.
std::string with_plain_breaks(std::string_view text) {
  std::string result(text);
  const auto replace = [&result](std::string_view mark, std::string_view by) {
    for (std::size_t i = result.find(mark); i != std::string::npos; i = result.find(mark, i)) {
      result.replace(i, mark.size(), by);
    }
  };
  replace("\xC2\x85", "\r\n");
  replace("\xE2\x80\xA8", " \r\n");
  replace("\xE2\x80\xA9", " \r\n");
  for (std::size_t i = result.find('\r'); i != std::string::npos; i = result.find('\r', i + 1)) {
    if (i + 1 == result.size() || result[i + 1] != '\n') {
      result[i] = '\n';
    }
  }
  const std::size_t last = result.find_last_not_of(' ');
  if (last != std::string::npos && result[last] == '\n') {
    result.resize(last + 1);
  }
  return result;
}

/// Reads all documents of `source`; nothing when the tokeniser rejects it and `report` is false.
std::optional<Stream> tokenise(const text::SourceFile& file,
                               const Abridgement& source,
                               const Limits& limits,
                               bool report) {
  std::istringstream in(source.text);
  StreamBuilder builder(file, source.source, limits);
  Recorder recorder(file, source, limits);
  try {
    YAML::Parser parser(in);
    while (builder.is_readable() && parser.HandleNextDocument(recorder)) {
      builder.take(recorder.record());
    }
  } catch (Stop& stop) {
    builder.fail(std::move(stop.why));
  } catch (const YAML::Exception& error) {
    if (!report) {
      return std::nullopt;
    }
    const std::size_t place = recorder.offset(error.mark);
    builder.fail(syntax_error(file, source.source, error.msg, place, recorder.record()));
  }
  return builder.finish();
}

std::optional<Stream> refused(const text::SourceFile& file, const Limits& limits) {
  std::optional<text::Diagnostic> problem = refuse(file, limits);
  if (!problem) {
    return std::nullopt;
  }
  StreamBuilder builder(file, {}, limits);
  builder.fail(std::move(*problem));
  return builder.finish();
}

}  // namespace

Stream parse(const text::SourceFile& file, const Limits& limits) {
  if (auto stream = refused(file, limits)) {
    return *std::move(stream);
  }
  const std::string text = with_plain_breaks(file.bytes());
  if (auto stream = tokenise(file, abridge(text), limits, false)) {
    return *std::move(stream);
  }
  return *tokenise(file, verbatim(text), limits, true);
}

Stream parse_slowly(const text::SourceFile& file, const Limits& limits) {
  if (auto stream = refused(file, limits)) {
    return *std::move(stream);
  }
  const std::string text = with_plain_breaks(file.bytes());
  return *tokenise(file, verbatim(text), limits, true);
}

}  // namespace epwise::yaml
