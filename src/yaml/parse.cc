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
#include "yaml/directives.h"
#include "yaml/events.h"
#include "yaml/problem_list.h"
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
    stream_.diagnostics = readable_list(std::move(stream_.diagnostics));
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
      if (const auto flaw = check_directives(text_, end_, text_.size()); flaw && stream_.readable) {
        report_flaws({*flaw});
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
    const std::size_t percent = std::string_view(text_).substr(end_, record.start - end_).find('%');
    if (percent != std::string_view::npos) {
      if (const auto flaw = check_directives(text_, end_, record.start)) {
        report_flaws({*flaw});
      }
      end_ = record.start;
    }
    report_flaws(locate(text_, end_, record));
    end_ = std::max<std::size_t>(record.start, last_end(record.events));
    Composition composition = compose(file_, record.events, limits_, stream_.diagnostics);
    stream_.readable = stream_.readable && composition.complete;
    if (!composition.root) {
      return;
    }
    stream_.documents.push_back(
        {std::move(*composition.root), number, file_.position(record.start).line});
  }

  static std::size_t last_end(const Events& events) {
    std::size_t end = 0;
    for (const Event& event : events) {
      end = std::max<std::size_t>(end, event.end);
    }
    return end;
  }

  /// Whether a `---` separates the document at `start` from the one before. Without that the
  /// tokeniser has stopped in the middle, perhaps for ever: the text `,` gives one empty document
  /// after the other at the same place.
  bool is_separate(std::size_t start) const {
    return start >= end_ && raw::is_document_start(text_, start);
  }

  void report_flaws(const std::vector<Flaw>& flaws) {
    for (const Flaw& flaw : flaws) {
      fail({std::string(flaw.rule),
            {&file_, flaw.begin, flaw.end},
            std::string(flaw.message),
            {},
            std::string(flaw.help)});
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
