#include "yaml/parse.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "base/text/diagnostic.h"
#include "yaml/abridgement.h"
#include "yaml/compose.h"
#include "yaml/events.h"
#include "yaml/raw.h"
#include "yaml/syntax.h"

namespace epwise::yaml {

/// Reasons not to tokenise a text at all: its size, its encoding, characters not allowed in YAML,
/// or so many consecutive flow tokens that the tokeniser's queue would grow without bound. Linear,
/// allocates only the result.
std::optional<text::Diagnostic> refuse(const text::SourceFile& file, const Limits& limits);

namespace {

/// Thrown out of the tokeniser's callbacks to stop it; caught in this file.
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

  /// The tokeniser's parser recurses once for each collection that it announces here, so this limit
  /// also bounds its stack usage.
  void open(Event::Type type,
            const YAML::Mark& mark,
            const std::string& tag,
            YAML::anchor_t anchor,
            YAML::EmitterStyle::value style) {
    if (static_cast<int>(record_.open.size()) >= limits_.depth) {
      stop(mark, "yaml/too-deep", "lists and mappings are nested too deeply", "flatten the file");
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

/// The text with replacements of the same length for the line ends that Python knows and yaml-cpp
/// does not: a lone CR, U+0085, U+2028 and U+2029. Offsets are unchanged. Blanks after the last
/// line end are omitted, since yaml-cpp treats them as content of a block scalar.
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

/// The events of texts that many files share: the tokeniser takes thousands of instructions for
/// each `x: x`.
class Memo {
 public:
  /// Of a text with one document; positions are those in it. Null pointer: the tokeniser rejects it.
  /// Valid until the next call.
  const Events* events_of(std::string_view text) {
    const auto known = known_.find(text);
    if (known != known_.end()) {
      return known->second ? &*known->second : nullptr;
    }
    auto events = tokenised(text);
    if (text.size() > kLongest) {
      long_ = std::move(events);
      return long_ ? &*long_ : nullptr;
    }
    if (known_.size() >= kMost) {
      known_.clear();
    }
    const auto added = known_.emplace(std::string(text), std::move(events)).first;
    return added->second ? &*added->second : nullptr;
  }

 private:
  static constexpr std::size_t kLongest = 1024;  // bytes; longer texts hardly return
  static constexpr std::size_t kMost = 4096;     // texts

  static std::optional<Events> tokenised(std::string_view text) {
    const text::SourceFile none("", "");
    const Abridgement source = verbatim(text);
    const Limits limits;
    Recorder recorder(none, source, limits);
    std::istringstream in(source.text);
    try {
      YAML::Parser parser(in);
      if (parser.HandleNextDocument(recorder) && recorder.record().complete) {
        return std::move(recorder.record().events);
      }
    } catch (const Stop&) {
      return std::nullopt;
    } catch (const YAML::Exception&) {
      return std::nullopt;
    }
    return std::nullopt;
  }

  std::map<std::string, std::optional<Events>, std::less<>> known_;
  std::optional<Events> long_;
};

/// A memo that no other thread uses, until the end of the scope; it is kept for the next one.
class BorrowedMemo {
 public:
  BorrowedMemo() {
    const std::lock_guard<std::mutex> lock(mutex());
    if (free().empty()) {
      memo_ = std::make_unique<Memo>();
    } else {
      memo_ = std::move(free().back());
      free().pop_back();
    }
  }

  ~BorrowedMemo() {
    const std::lock_guard<std::mutex> lock(mutex());
    free().push_back(std::move(memo_));
  }

  BorrowedMemo(const BorrowedMemo&) = delete;
  BorrowedMemo& operator=(const BorrowedMemo&) = delete;

  Memo* operator->() const { return memo_.get(); }

 private:
  static std::mutex& mutex() {
    static std::mutex mutex;
    return mutex;
  }

  static std::vector<std::unique_ptr<Memo>>& free() {
    static std::vector<std::unique_ptr<Memo>> free;
    return free;
  }

  std::unique_ptr<Memo> memo_;
};

/// Puts the events of a document of simple lines together from those of its entries, each of which
/// means the same at any place: a block is its first event, what is in its entries, and its end. For
/// an abridgement that tells its lines.
class Assembler {
 public:
  Assembler(const Abridgement& source, const Limits& limits) : source_(source), limits_(limits) {}

  /// Nothing if the lines do not fit together, or if a limit is exceeded: then the tokeniser has to
  /// say why.
  std::optional<Record> run() {
    const auto& lines = source_.lines;
    if (!add_block(lines.front().indent, lines.front().item) || next_ < lines.size()) {
      return std::nullopt;
    }
    record_.start = record_.events.front().at;
    record_.complete = true;
    return std::move(record_);
  }

 private:
  using Line = Abridgement::Line;

  /// The entries from the next line on that have this indentation, and are items or are not.
  bool add_block(std::uint32_t indent, bool items) {
    bool is_first = true;
    while (next_ < source_.lines.size() && source_.lines[next_].indent == indent &&
           source_.lines[next_].item == items) {
      const std::size_t begin = next_;
      const bool nests = items ? take_item(indent) : take_key(indent);
      if (!add_entry(begin, nests, is_first) ||
          (nests && !add_block(source_.lines[next_].indent, source_.lines[next_].item))) {
        return false;
      }
      is_first = false;
    }
    record_.events.emplace_back().type = Event::Type::end;
    --depth_;
    return true;
  }

  /// The line of a key. Whether the next line starts the block that is its value.
  bool take_key(std::uint32_t indent) {
    const bool open = source_.lines[next_++].open;
    if (!open || next_ == source_.lines.size()) {
      return false;
    }
    const Line& next = source_.lines[next_];
    return next.indent > indent || (next.indent == indent && next.item);
  }

  /// The lines of an item, which contain its value.
  bool take_item(std::uint32_t indent) {
    do {
      ++next_;
    } while (next_ < source_.lines.size() && source_.lines[next_].indent > indent);
    return false;
  }

  /// The events of the lines from `line` to the next one: only the key if it `nests`; first the
  /// start of the block around the entry if it is the block's first.
  bool add_entry(std::size_t line, bool nests, bool is_first) {
    std::size_t begin = source_.lines[line].begin;
    const std::size_t end =
        next_ < source_.lines.size() ? source_.lines[next_].begin : source_.text.size();
    std::string_view text = std::string_view(source_.text).substr(begin, end - begin);
    if (text.find('\n') + 1 == text.size()) {  // one line means the same without its indentation
      text.remove_prefix(source_.lines[line].indent);
      begin += source_.lines[line].indent;
    }
    const Events* const events = memo_->events_of(text);
    if (events == nullptr || events->size() < 3 || !events->front().opens()) {
      return false;
    }
    const auto first = events->begin() + (is_first ? 0 : 1);
    const auto last = nests ? events->begin() + 2 : events->end() - 1;
    return std::all_of(first, last, [&](const Event& event) { return add(event, begin); });
  }

  /// `place`: in the short text, of the text that the event was found in. False: above a limit.
  bool add(const Event& part, std::size_t place) {
    Event& event = record_.events.emplace_back(part);
    if (!event.is_node()) {
      --depth_;
      return true;
    }
    const std::size_t original = source_.original(place + part.at);
    event.at = static_cast<std::uint32_t>(std::min(original, source_.source.size()));
    if (event.type == Event::Type::scalar) {
      const std::string_view word = source_.word(event.at);
      event.text = word.empty() ? event.text : std::string(word);
    }
    depth_ += event.opens() ? 1 : 0;
    return depth_ <= limits_.depth && ++nodes_ <= limits_.nodes;
  }

  const Abridgement& source_;
  const Limits& limits_;
  BorrowedMemo memo_;
  Record record_;
  std::size_t next_ = 0;  // line
  std::size_t nodes_ = 0;
  int depth_ = 0;
};

/// Reads all documents of `source`; nothing if the tokeniser rejects it and `report` is false.
std::optional<Stream> tokenise(const text::SourceFile& file,
                               const Abridgement& source,
                               const Limits& limits,
                               bool report) {
  StreamBuilder builder(file, source.source, limits);
  if (!source.lines.empty()) {
    if (auto record = Assembler(source, limits).run()) {
      builder.take(*record);
      return builder.finish();
    }
  }
  std::istringstream in(source.text);
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

std::optional<Stream> refused_stream(const text::SourceFile& file, const Limits& limits) {
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
  if (auto stream = refused_stream(file, limits)) {
    return *std::move(stream);
  }
  const std::string text = with_plain_breaks(file.bytes());
  if (auto stream = tokenise(file, abridge(text), limits, false)) {
    return *std::move(stream);
  }
  return *tokenise(file, verbatim(text), limits, true);
}

Stream parse_slowly(const text::SourceFile& file, const Limits& limits) {
  if (auto stream = refused_stream(file, limits)) {
    return *std::move(stream);
  }
  const std::string text = with_plain_breaks(file.bytes());
  return *tokenise(file, verbatim(text), limits, true);
}

namespace {

constexpr std::string_view kAsUtf8 = "save the file as UTF-8 without a byte-order mark";

unsigned char byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

text::Diagnostic diagnostic_at(const text::SourceFile& file,
                               std::string rule,
                               std::size_t begin,
                               std::size_t length,
                               std::string message,
                               std::string help) {
  const std::size_t size = file.bytes().size();
  const std::size_t end = std::min(size, begin + length);
  return {std::move(rule),
          {&file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)},
          std::move(message),
          {},
          std::move(help)};
}

}  // namespace

std::string_view wide_encoding(std::string_view text) {
  using namespace std::string_view_literals;
  if (text.starts_with("\xFF\xFE\0\0"sv) || text.starts_with("\0\0\xFE\xFF"sv)) {
    return "UTF-32";
  }
  if (text.starts_with("\xFF\xFE"sv) || text.starts_with("\xFE\xFF"sv)) {
    return "UTF-16";
  }
  const std::string_view head = text.substr(0, 512);
  const auto zeros = static_cast<std::size_t>(std::count(head.begin(), head.end(), '\0'));
  if (head.size() < 4 || zeros * 5 < head.size() * 2) {
    return {};
  }
  return zeros * 5 > head.size() * 3 ? "UTF-32" : "UTF-16";
}

namespace {

std::optional<text::Diagnostic> refuse_encoding(const text::SourceFile& file) {
  const std::string_view text = file.bytes();
  if (const std::string_view wide = wide_encoding(text); !wide.empty()) {
    return diagnostic_at(file,
                         "yaml/encoding",
                         0,
                         0,
                         fmt::format("the file is written in {}", wide),
                         std::string(kAsUtf8));
  }
  if (const std::size_t bad = file.first_invalid_utf8(); bad != text::SourceFile::npos) {
    return diagnostic_at(file,
                         "yaml/encoding",
                         bad,
                         1,
                         fmt::format("byte 0x{:02X} is not UTF-8", byte_at(text, bad)),
                         std::string(kAsUtf8));
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (const raw::Character found = raw::forbidden_character(text, i); found.length != 0) {
      return diagnostic_at(
          file,
          "yaml/encoding",
          i,
          found.length,
          fmt::format("the control character U+{:04X} is not allowed in YAML", found.code),
          "remove it, or write it as an escape in double quotes");
    }
  }
  if (text.starts_with("\xEF\xBB\xBF")) {
    return diagnostic_at(
        file, "yaml/encoding", 0, 3, "a second byte-order mark", std::string(kAsUtf8));
  }
  return std::nullopt;
}

/// The tokeniser keeps every token of a flow collection, or of a line, until it knows whether a `:`
/// follows. This counts what may start a token over such stretches, too high rather than too low.
std::optional<text::Diagnostic> refuse_flow(const text::SourceFile& file, const Limits& limits) {
  const std::string_view text = file.bytes();
  const std::size_t most = 4 * limits.nodes;
  std::size_t tokens = 0;
  std::size_t level = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '\n':
        tokens = level == 0 ? 0 : tokens;
        continue;
      case '[':
      case '{':
        ++level;
        break;
      case ']':
      case '}':
        level -= level > 0 ? 1 : 0;
        break;
      case ',':
      case ':':
      case '?':
      case '&':
      case '*':
      case '!':
      case '"':
      case '\'':
        break;
      default:
        continue;
    }
    if (++tokens > most) {
      return diagnostic_at(file,
                           "yaml/too-many-nodes",
                           i,
                           1,
                           "too many values in one line or one pair of brackets",
                           "write the list with one value a line, or keep it in a file of its own");
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<text::Diagnostic> refuse(const text::SourceFile& file, const Limits& limits) {
  const std::size_t size = file.bytes().size();
  if (size > limits.bytes) {
    return diagnostic_at(file,
                         "yaml/too-large",
                         0,
                         0,
                         fmt::format("the file exceeds the {:.4g} MiB limit for a recipe",
                                     static_cast<double>(limits.bytes) / (1 << 20)),
                         "is this really a recipe? keep data in separate files");
  }
  if (auto problem = refuse_encoding(file)) {
    return problem;
  }
  return refuse_flow(file, limits);
}

std::vector<text::Diagnostic> readable_list(std::vector<text::Diagnostic> problems) {
  constexpr int kMostOfAKind = 100;
  std::stable_sort(
      problems.begin(), problems.end(), [](const text::Diagnostic& a, const text::Diagnostic& b) {
        return a.mark.begin < b.mark.begin;
      });
  std::map<std::string, int> total;
  for (const text::Diagnostic& each : problems) {
    ++total[each.rule];
  }
  std::map<std::string, int> seen;
  std::vector<text::Diagnostic> kept;
  for (text::Diagnostic& each : problems) {
    const int number = ++seen[each.rule];
    const int left_out = total[each.rule] - kMostOfAKind;
    if (number == kMostOfAKind && left_out > 0) {
      each.message += fmt::format(" ({} more of this kind follow)", left_out);
    }
    if (number <= kMostOfAKind) {
      kept.push_back(std::move(each));
    }
  }
  return kept;
}

}  // namespace epwise::yaml
