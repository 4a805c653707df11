#include "yaml/parse.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "yaml/admission.h"
#include "yaml/compose.h"
#include "yaml/events.h"
#include "yaml/raw.h"
#include "yaml/spans.h"
#include "yaml/syntax.h"

namespace epwise::yaml {

namespace {

std::uint32_t offset(const YAML::Mark& mark) {
  return static_cast<std::uint32_t>(std::max(mark.pos, 0));
}

/// Thrown out of the tokeniser's call-backs to stop it; caught in this file.
struct Stop {
  text::Diagnostic why;
};

class Recorder : public YAML::EventHandler {
 public:
  Recorder(const text::SourceFile& file, const Limits& limits) : file_(file), limits_(limits) {}

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
    add(Event::Type::scalar, mark, anchor).text = value;
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
    const std::uint32_t begin = std::min(offset(mark), size);
    throw Stop{{rule, {&file_, begin, std::min(begin + 1, size)}, message, {}, help}};
  }

  const text::SourceFile& file_;
  const Limits& limits_;
  Record record_;
  std::size_t nodes_ = 0;
};

/// A lone CR ends a line for Python, not for yaml-cpp; same length, so that offsets stay.
std::string with_plain_breaks(std::string_view text) {
  std::string result(text);
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (result[i] == '\r' && (i + 1 == result.size() || result[i + 1] != '\n')) {
      result[i] = '\n';
    }
  }
  return result;
}

class StreamReader {
 public:
  StreamReader(const text::SourceFile& file, const Limits& limits)
      : file_(file),
        limits_(limits),
        text_(with_plain_breaks(file.bytes())) {}

  Stream run() {
    if (file_.had_byte_order_mark()) {
      stream_.diagnostics.push_back({"yaml/byte-order-mark",
                                     {&file_, 0, 0},
                                     "the file starts with a byte-order mark",
                                     {},
                                     "save it as UTF-8 without one"});
    }
    if (auto problem = refuse(file_, limits_)) {
      fail(std::move(*problem));
    } else {
      read_documents();
      report_empty();
    }
    std::stable_sort(stream_.diagnostics.begin(),
                     stream_.diagnostics.end(),
                     [](const text::Diagnostic& a, const text::Diagnostic& b) {
                       return a.mark.begin < b.mark.begin;
                     });
    return std::move(stream_);
  }

 private:
  void read_documents() {
    std::istringstream in(text_);
    Recorder recorder(file_, limits_);
    try {
      YAML::Parser parser(in);
      while (stream_.readable && parser.HandleNextDocument(recorder)) {
        take(recorder.record());
      }
    } catch (Stop& stop) {
      fail(std::move(stop.why));
    } catch (const YAML::Exception& error) {
      fail(syntax_error(file_, text_, error.msg, offset(error.mark), recorder.record()));
    }
  }

  void take(Record& record) {
    const int number = static_cast<int>(stream_.documents.size()) + 1;
    if (number > 1 && !is_separate(record.start)) {
      fail(stray_content(file_, text_, record.start));
      return;
    }
    if (number > limits_.documents) {
      fail({"yaml/too-many-nodes",
            {&file_, record.start, record.start},
            "too many documents in one file",
            {},
            "split the file"});
      return;
    }
    report_tabs(locate(text_, record.start, record.events));
    end_ = record.events.empty() ? record.start : last_end(record.events);
    auto root = compose(file_, record.events, limits_, stream_.diagnostics);
    if (!root) {
      stream_.readable = false;
      return;
    }
    stream_.documents.push_back({std::move(*root), number, file_.position(record.start).line});
  }

  static std::size_t last_end(const Events& events) {
    std::size_t end = 0;
    for (const Event& event : events) {
      end = std::max<std::size_t>(end, event.end);
    }
    return end;
  }

  /// Whether `---`, or `...` before it, separates the document at `start` from the one before.
  /// Without that the tokeniser has stopped in the middle, perhaps for ever: the text `,` gives one
  /// empty document after the other at the same place.
  bool is_separate(std::size_t start) const {
    if (start < end_) {
      return false;
    }
    const std::string_view text = text_;
    if (text.substr(start).starts_with("---") && (start == 0 || raw::is_break(text[start - 1]))) {
      return true;
    }
    return text.substr(end_, start - end_).find("\n...") != std::string_view::npos;
  }

  void report_tabs(const std::vector<std::uint32_t>& tabs) {
    for (const std::uint32_t tab : tabs) {
      fail({"yaml/tab",
            {&file_, tab, tab + 1},
            "a tab stands outside quotes",
            {},
            "indent and separate with blanks: PyYAML refuses tabs"});
    }
  }

  void report_empty() {
    const bool empty = std::all_of(
        stream_.documents.begin(), stream_.documents.end(), [](const Document& document) {
          return document.root.is_null() && document.root.scalar.empty();
        });
    if (stream_.readable && empty) {
      stream_.diagnostics.push_back(
          {"yaml/empty", {&file_, 0, 0}, "the file holds no settings", {}, ""});
    }
  }

  void fail(text::Diagnostic problem) {
    stream_.readable = false;
    stream_.diagnostics.push_back(std::move(problem));
  }

  const text::SourceFile& file_;
  const Limits& limits_;
  const std::string text_;
  Stream stream_;
  std::size_t end_ = 0;  // of the document before
};

}  // namespace

Stream parse(const text::SourceFile& file, const Limits& limits) {
  return StreamReader(file, limits).run();
}

}  // namespace epwise::yaml
