#include "commands/explain/crash_log.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <utility>

#include "base/text/ascii.h"
#include "commands/explain/literal_scan.h"

namespace epwise::audit {

namespace {

constexpr std::size_t kLongestMessage = 4000;
constexpr std::size_t kLongestCode = 400;
constexpr std::size_t kMostLines = 8;     // of one message
constexpr std::size_t kFewestFrames = 2;  // of a traceback that was cut off
constexpr std::size_t kMostCrashes = 500;
constexpr int kAttention = 4096;

std::string_view next_line(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  auto line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return line;
}

bool is_blank_line(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

/// "  rank      : 3 (local_rank: 3)" → 3
std::optional<int> entry(std::string_view line, std::string_view name) {
  const auto start = std::min(line.find_first_not_of(" \t"), line.size());
  line.remove_prefix(start);
  const auto colon = line.find(':');
  if (!line.starts_with(name) || colon == std::string_view::npos ||
      !is_blank_line(line.substr(name.size(), colon - name.size()))) {
    return std::nullopt;
  }
  line.remove_prefix(std::min(line.find_first_not_of(' ', colon + 1), line.size()));
  int value = 0;
  const auto parsed = std::from_chars(line.data(), line.data() + line.size(), value);
  return parsed.ec == std::errc() ? std::optional(value) : std::nullopt;
}

/// Python's own modules raise in the last frame; the frame of Megatron before it is the relevant
/// one.
std::string innermost(const std::vector<std::string>& code) {
  constexpr std::size_t kFrames = 3;
  std::string text;
  for (auto each = code.size() - std::min(kFrames, code.size()); each < code.size(); ++each) {
    text += text.empty() ? "" : " ";
    text += code[each];
  }
  return text;
}

/// What a kernel prints before it traps. The next CUDA call of that rank reports the trap only.
constexpr std::array<std::string_view, 5> kOfKernels = {
    "Assertion failed: ", "Assertion `", "DeepEP timeout", "DeepEP dispatch ", "DeepEP combine "};

bool is_of_kernel(std::string_view text) {
  return std::ranges::any_of(kOfKernels,
                             [text](std::string_view start) { return text.starts_with(start); });
}

/// What CUDA says after a trap.
bool is_of_trap(std::string_view message) {
  constexpr std::array<std::string_view, 3> kWords = {
      "unspecified launch failure", "device-side assert triggered", "illegal instruction"};
  return std::ranges::any_of(kWords, [message](std::string_view word) {
    return message.find(word) != std::string_view::npos;
  });
}

/// Without what differs from thread to thread: a kernel's own words up to the place, and PyTorch's
/// name of the kernel behind them:
/// "a.cu:15: gather: block: [4,0,0], thread: [9,0,0] Assertion `i < n` failed."
///   → "Assertion `i < n` failed. (a.cu:15: gather)"
std::optional<std::string> kernel_words_in(std::string_view line) {
  std::size_t begin = std::string_view::npos;
  for (const std::string_view word : kOfKernels) {
    begin = std::min(begin, line.find(word));
  }
  const auto block = line.find(": block: [");
  const bool named = block < begin;
  if (begin == std::string_view::npos ||
      (line.substr(begin).starts_with("Assertion `") && !named)) {
    return std::nullopt;  // nothing, or assert() of a process, which names its file
  }
  std::string_view text = line.substr(begin);
  for (const std::string_view place : {", channel", ", rank", ": rank", ", RDMA", ", src"}) {
    text = text.substr(0, text.find(place));
  }
  std::string message(text);
  if (named) {
    const auto start = line.substr(0, block).find_last_of("\t]") + 1;
    std::string_view name = line.substr(start, block - start);
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
    message += " (" + std::string(name) + ")";
  }
  return message;
}

constexpr std::string_view kOfNccl = "NCCL WARN ";

/// A line of NCCL names the source line that wrote it, which is all that is known of a message whose
/// words no table has: "node3:12:34 [0] transport/net_ib.cc:93 NCCL WARN …" → that file and line
std::vector<Frame> place_of_nccl(std::string_view line) {
  const auto end = line.find(kOfNccl);
  if (end == std::string_view::npos || end == 0) {
    return {};
  }
  const auto before = line.substr(0, end - 1);
  const auto colon = before.rfind(':');
  Frame frame;
  frame.function = "NCCL WARN";
  if (colon == std::string_view::npos ||
      std::from_chars(before.data() + colon + 1, before.data() + before.size(), frame.line).ptr !=
          before.data() + before.size()) {
    return {};
  }
  frame.path = before.substr(0, colon);
  frame.path.erase(0, frame.path.rfind(' ') + 1);  // nothing, if there is no blank
  return {std::move(frame)};
}

/// What NCCL says, without the process that says it.
std::string_view words_of(const Crash& crash) {
  const std::string_view message = crash.message;
  const auto at = message.find(kOfNccl);
  return at == std::string_view::npos ? message : message.substr(at);
}

/// The state of one writer of the log.
struct Telling {
  std::vector<Frame> frames;
  std::vector<std::string> code;  // of each frame
  std::size_t indent = 0;         // before the frames
  bool ignored = false;           // execution continued after it
  bool stamped = false;           // the previous line was the error
  std::size_t crash = 0;          // whose message continues
  std::size_t extends = 0;        // limit on further lines
  int line = 0;                   // of the log, with the last frame
  int rank = -1;                  // that wrote it
};

/// A process of the same program at the other end of a pipe has ended.
bool is_lost_partner(const Crash& crash) {
  return crash.exception == "EOFError" && crash.message.empty() && !crash.frames.empty() &&
         crash.frames.back().path.find("/multiprocessing/") != std::string::npos;
}

/// How the names of exceptions end.
constexpr std::array<std::string_view, 5> kExceptionEndings = {
    "Error", "Exception", "Exit", "Interrupt", "Iteration"};

/// How argparse's complaints begin.
constexpr std::array<std::string_view, 4> kComplaints = {"argument -",
                                                         "unrecognized arguments: ",
                                                         "the following arguments are required",
                                                         "ambiguous option: "};

/// Words of troubles without a traceback.
constexpr std::array<std::string_view, 11> kTroubles = {
    "Watchdog caught collective operation timeout",
    "CUDA out of memory",
    "oom_kill event",
    "oom-kill event",
    "killed due to memory pressure",
    "Out Of Memory",
    "Fatal Python error: ",
    "NCCL WARN ",
    "CUDA error: ",
    "Segmentation fault",
    "Bus error"};

/// Words of which a line has at least one if an error starts in it.
std::vector<std::string_view> words_of_errors() {
  std::vector<std::string_view> words = {"Traceback (most recent call last)",
                                         "Exception ignored in",
                                         "File \"",
                                         "Root Cause (first observed failure)",
                                         "error: "};
  words.insert(words.end(), kExceptionEndings.begin(), kExceptionEndings.end());
  words.insert(words.end(), kComplaints.begin(), kComplaints.end());
  words.insert(words.end(), kTroubles.begin(), kTroubles.end());
  words.insert(words.end(), kOfKernels.begin(), kOfKernels.end());
  return words;
}

const LiteralScan& starts_of_errors() {
  static const LiteralScan scan(words_of_errors(), LiteralScan::Words::exact);
  return scan;
}

class Reader {
 public:
  CrashLog run(std::string_view log) {
    while (!log.empty()) {
      if (attention_ == 0) {
        skip_uneventful(log);
      }
      if (log.empty()) {
        break;
      }
      const auto line = next_line(log);
      ++number_;
      --attention_;
      take(read_line(line), line);
    }
    cut_off();
    std::vector<Crash>& crashes = log_.crashes;
    const bool trapped = std::ranges::any_of(
        crashes, [](const Crash& crash) { return is_of_kernel(crash.message); });
    for (auto& crash : crashes) {
      crash.kind = trapped && is_of_trap(crash.message) ? Crash::Kind::aftermath : crash.kind;
      std::ranges::sort(crash.ranks);
      crash.ranks.erase(std::unique(crash.ranks.begin(), crash.ranks.end()), crash.ranks.end());
    }
    std::ranges::stable_sort(crashes, {}, [&](const Crash& crash) { return order(crash); });
    return std::move(log_);
  }

 private:
  /// Lines of which none starts an error, long after the last one.
  void skip_uneventful(std::string_view& log) {
    for (auto& [channel, telling] : tellings_) {
      telling.extends = 0;
    }
    FoundLines lines(log, starts_of_errors());
    FoundLines::Line found;
    if (!lines.next(found)) {
      log = {};
      return;
    }
    number_ += found.number - 1;
    log.remove_prefix(static_cast<std::size_t>(found.text.data() - log.data()));
    attention_ = 1;
  }

  /// Tracebacks without their last line, which a log has that was cut off: they show the part of
  /// the program at least. Of no interest beside an error that is there.
  void cut_off() {
    const auto is_error = [](const Crash& crash) {
      return crash.kind == Crash::Kind::raised || crash.kind == Crash::Kind::refused;
    };
    if (std::ranges::any_of(log_.crashes, is_error)) {
      return;
    }
    for (auto& [channel, telling] : tellings_) {
      // A dump of all threads has frames too, without the word before the function.
      if (telling.ignored || telling.frames.size() < kFewestFrames ||
          telling.frames.back().function.empty()) {
        continue;
      }
      LogLine line;
      line.channel = channel;
      line.rank = telling.rank;
      number_ = telling.line;
      auto message = "a traceback without its last line, down to " + telling.frames.back().function;
      add(telling,
          {.frames = std::move(telling.frames),
           .message = std::move(message),
           .kind = Crash::Kind::cut,
           .code = innermost(telling.code)},
          line);
    }
  }

  /// torchrun's first failure takes precedence over the order in the log.
  int order(const Crash& crash) const {
    const bool first =
        log_.first_failure &&
        std::ranges::find(crash.ranks, log_.first_failure->rank) != crash.ranks.end();
    const int kind = crash.kind == Crash::Kind::refused ? 0 : static_cast<int>(crash.kind);
    return kind * 2 + (first ? 0 : 1);
  }

  void take(const LogLine& line, std::string_view whole) {
    auto& telling = tellings_[line.channel];
    if (line.text.find("Traceback (most recent call last)") != std::string_view::npos) {
      attention_ = kAttention;
      const bool ignored = telling.ignored;
      telling = {};
      telling.ignored = ignored;
      return;
    }
    if (line.text.starts_with("Exception ignored in")) {
      telling = {};
      telling.ignored = true;
      return;
    }
    if (auto frame = frame_in(line.text)) {
      attention_ = kAttention;
      telling.extends = 0;
      telling.indent = line.text.find("File \"");
      telling.frames.push_back(std::move(*frame));
      telling.code.push_back({});
      telling.line = number_;
      telling.rank = line.rank;
      return;
    }
    if (of_launcher(line.text) || error(telling, line, whole) || code(telling, line.text)) {
      return;
    }
    extend(telling, line);
  }

  /// torchrun's table of failures: its second half describes the first of them.
  bool of_launcher(std::string_view text) {
    if (text.find("Root Cause (first observed failure)") != std::string_view::npos) {
      attention_ = kAttention;
      log_.first_failure = FirstFailure{-1, 0, number_};
      return true;
    }
    if (!log_.first_failure) {
      return false;
    }
    if (const auto rank = entry(text, "rank"); rank && log_.first_failure->rank < 0) {
      log_.first_failure->rank = *rank;
      return true;
    }
    if (const auto code = entry(text, "exitcode"); code && log_.first_failure->exit_code == 0) {
      log_.first_failure->exit_code = *code;
      return true;
    }
    return false;
  }

  bool error(Telling& telling, const LogLine& line, std::string_view whole) {
    if (auto complaint = complaint_in(line.text)) {
      add(telling, {.message = std::move(*complaint), .kind = Crash::Kind::refused}, line);
      return true;
    }
    const bool alone = telling.frames.empty();
    auto said = exception_in(line.text, alone);
    // In a traceback the error stands left of the frames, or in their column if the text was copied
    // without its indentation. Source lines, which raise it, stand right of them.
    const bool left = said && said->column <= telling.indent;
    if (said && (alone || left)) {
      const bool mentioned = alone || telling.ignored;
      const auto kind = mentioned ? Crash::Kind::mentioned : Crash::Kind::raised;
      add(telling,
          {.frames = std::move(telling.frames),
           .exception = std::move(said->exception),
           .message = std::move(said->message),
           .kind = kind,
           .code = innermost(telling.code)},
          line);
      return true;
    }
    if (!telling.frames.empty() || telling.extends > 0) {
      return false;
    }
    if (auto trouble = trouble_in(whole)) {
      add(telling,
          {.frames = place_of_nccl(line.text),
           .message = std::move(*trouble),
           .kind = Crash::Kind::mentioned},
          line);
      telling.extends = 0;
      return true;
    }
    return false;
  }

  /// The source lines after a frame; the marks below them carry no information.
  static bool code(Telling& telling, std::string_view text) {
    if (telling.frames.empty() || is_blank_line(text)) {
      return false;
    }
    const bool marks = text.find_first_not_of(" \t^~") == std::string_view::npos;
    auto& code = telling.code.back();
    if (!marks && code.size() + text.size() < kLongestCode) {
      code += code.empty() ? "" : " ";
      code += text.substr(text.find_first_not_of(" \t"));
    }
    return true;
  }

  /// Messages may span several lines; a blank line or the launcher's own output ends them. Prefixes
  /// often precede only the first line.
  void extend(Telling& own, const LogLine& line) {
    const bool unmarked = own.extends == 0 && line.channel.empty() && spoken_ + 1 == number_;
    auto& telling = unmarked ? tellings_[speaker_] : own;
    if (telling.extends == 0) {
      return;
    }
    if (is_blank_line(line.text) || (line.stamped && !telling.stamped) || is_of_logger(line) ||
        line.text.find("During handling of") != std::string_view::npos) {
      telling.extends = 0;
      return;
    }
    --telling.extends;
    spoken_ = number_;
    auto& message = log_.crashes[telling.crash].message;
    if (message.size() + line.text.size() < kLongestMessage) {
      message += message.empty() ? "" : " ";
      message += line.text;
    }
  }

  void add(Telling& telling, Crash crash, const LogLine& line) {
    attention_ = kAttention;
    if (is_aftermath(crash.exception, crash.message) || is_lost_partner(crash)) {
      crash.kind = Crash::Kind::aftermath;
    }
    telling = {};
    crash.line = number_;
    const auto same = std::ranges::find_if(
        log_.crashes, [&](const Crash& other) { return tells_the_same(other, crash); });
    if (same != log_.crashes.end()) {
      ++same->times;
      same->kind = std::min(same->kind, crash.kind);
      if (same->frames.empty()) {
        same->frames = std::move(crash.frames);
        same->code = std::move(crash.code);
      }
      if (line.rank >= 0) {
        same->ranks.push_back(line.rank);
      }
      return;
    }
    if (log_.crashes.size() == kMostCrashes) {
      return;
    }
    if (line.rank >= 0) {
      crash.ranks.push_back(line.rank);
    }
    telling.stamped = line.stamped;
    telling.extends = kMostLines;
    telling.crash = log_.crashes.size();
    speaker_ = line.channel;
    spoken_ = number_;
    log_.crashes.push_back(std::move(crash));
  }

  /// A line that repeats an error adds nothing; of two tracebacks, the locations count.
  static bool tells_the_same(const Crash& other, const Crash& crash) {
    if (other.exception != crash.exception || !words_of(other).starts_with(words_of(crash)) ||
        (crash.message.empty() && !other.message.empty())) {
      return false;
    }
    return crash.frames.empty() || other.frames.empty() ||
           (other.frames.back().line == crash.frames.back().line &&
            other.frames.back().path == crash.frames.back().path);
  }

  CrashLog log_;
  std::map<std::string, Telling> tellings_;  // by channel
  std::string speaker_;                      // writer of the last error, and its last line
  int spoken_ = 0;
  int number_ = 0;
  int attention_ = 0;  // lines that are read whatever they contain: they may continue an error
};

}  // namespace

CrashLog read_crashes(std::string_view log) {
  if (log.find("\x1b[") != std::string_view::npos) {
    return Reader().run(without_colours(log));
  }
  return Reader().run(log);
}

namespace {

/// Length of the number at the start.
std::size_t digits(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, text::is_digit) - text.begin());
}

int number(std::string_view text) {
  int value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool is_of_time(char c) {
  return text::is_digit(c) || c == ':' || c == '-' || c == '.' || c == ',' || c == '/' ||
         c == 'T' || c == 'Z' || c == '+';
}

/// "2026-11-02", "10:11:12,345", "2026-11-02T10:11:12.5Z": starts with a digit, contains two equal
/// separators. "12:" alone is a rank.
std::size_t length_of_time(std::string_view text) {
  if (text.empty() || !text::is_digit(text.front())) {
    return 0;
  }
  const auto end =
      static_cast<std::size_t>(std::ranges::find_if_not(text, is_of_time) - text.begin());
  const auto token = text.substr(0, end);
  const bool is_time = std::ranges::count(token, ':') >= 2 || std::ranges::count(token, '-') == 2 ||
                       std::ranges::count(token, '/') == 2;
  return is_time && (end == text.size() || text[end] == ' ' || text[end] == ']') ? end : 0;
}

/// Strips prefixes from the front of a line.
class Stripper {
 public:
  explicit Stripper(std::string_view line) : line_{line, "", -1, false} {}

  LogLine run() {
    while (tag() || rank() || time() || level()) {
    }
    return line_;
  }

 private:
  std::string_view trimmed() const {
    const auto start = line_.text.find_first_not_of(" \t");
    return start == std::string_view::npos ? std::string_view() : line_.text.substr(start);
  }

  /// The rest of the text, without the blank after the prefix.
  void go_on(std::string_view rest) { line_.text = rest.starts_with(' ') ? rest.substr(1) : rest; }

  /// "[rank3]:", "[default3]:", "[1,3]<stderr>:", "(Worker pid=7)"
  bool tag() {
    const auto text = trimmed();
    if (text.starts_with("[rank") || text.starts_with("[default")) {
      const auto digit = text.find_first_of("0123456789");
      const auto close = text.find("]:");
      if (close == std::string_view::npos || digit > close ||
          digit + digits(text.substr(digit)) != close) {
        return false;
      }
      line_.channel += text.substr(0, close + 1);
      line_.rank = text.starts_with("[rank") ? number(text.substr(digit)) : line_.rank;
      go_on(text.substr(close + 2));
      return true;
    }
    if (text.starts_with("[1,")) {
      const auto close = text.find("]<std");
      const auto colon = text.find(">:");
      if (close == std::string_view::npos || colon == std::string_view::npos) {
        return false;
      }
      line_.channel += text.substr(0, close + 1);
      line_.rank = number(text.substr(3));
      go_on(text.substr(colon + 2));
      return true;
    }
    const auto close = text.find(')');
    if (text.starts_with('(') && close != std::string_view::npos &&
        text.substr(0, close).find("pid=") != std::string_view::npos) {
      line_.channel += text.substr(0, close + 1);
      go_on(text.substr(close + 1));
      return true;
    }
    return false;
  }

  /// "3: " as `srun --label` writes.
  bool rank() {
    const auto text = trimmed();
    const auto length = digits(text);
    if (length == 0 || length > 6 || length == text.size() || text[length] != ':' ||
        (length + 1 < text.size() && text[length + 1] != ' ')) {
      return false;
    }
    line_.channel += text.substr(0, length + 1);
    line_.rank = line_.rank < 0 ? number(text) : line_.rank;
    go_on(text.substr(length + 1));
    return true;
  }

  bool time() {
    auto text = trimmed();
    const bool bracket = text.starts_with('[');
    text.remove_prefix(bracket ? 1 : 0);
    auto length = length_of_time(text);
    if (length == 0) {
      return false;
    }
    if (bracket) {
      const auto close = text.find(']');
      if (close > 40) {
        return false;
      }
      length = close + 1;
    }
    line_.stamped = true;
    text.remove_prefix(length);
    go_on(text.starts_with(':') ? text.substr(1) : text);
    return true;
  }

  /// Prefixes added by containers and Python loggers.
  bool level() {
    const auto text = trimmed();
    constexpr std::array<std::string_view, 6> kLevels = {
        "stderr F ", "stdout F ", "ERROR:root:", "CRITICAL:root:", "ERROR ", "CRITICAL "};
    const auto* const found = std::ranges::find_if(
        kLevels, [&](std::string_view level) { return text.starts_with(level); });
    if (found == kLevels.end()) {
      return false;
    }
    line_.stamped = true;
    line_.text = text.substr(found->size());
    return true;
  }

  LogLine line_;
};

}  // namespace

LogLine read_line(std::string_view line) {
  return Stripper(line).run();
}

std::string without_colours(std::string_view log) {
  std::string plain;
  plain.reserve(log.size());
  while (!log.empty()) {
    const auto escape = std::min(log.find("\x1b["), log.size());
    plain += log.substr(0, escape);
    log.remove_prefix(escape);
    const auto end = log.find_first_of("mK");
    log.remove_prefix(log.empty() ? 0 : end > 12 ? 2 : end + 1);
  }
  return plain;
}

bool is_of_logger(const LogLine& line) {
  const auto text = line.text;
  if (text.size() > 2 && text[0] == '[' && std::isupper(static_cast<unsigned char>(text[1])) != 0 &&
      text::is_digit(text[2])) {
    return true;  // [W1121 10:11:12 …
  }
  if (text.size() > 2 && (text[0] == 'W' || text[0] == 'E' || text[0] == 'I') &&
      digits(text.substr(1)) == 4) {
    return true;  // E1121 10:11:12 …
  }
  constexpr std::array<std::string_view, 10> kStarts = {"WARNING",
                                                        "INFO",
                                                        "DEBUG",
                                                        "srun: ",
                                                        "slurmstepd: ",
                                                        "=====",
                                                        "-----",
                                                        "terminate called",
                                                        "NCCL ",
                                                        "Exception ignored"};
  return std::ranges::any_of(kStarts,
                             [&](std::string_view start) { return text.starts_with(start); });
}

namespace {

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

/// Accepts "AssertionError" but not "megatron.core.Problem": exceptions are recognised by their
/// endings.
bool is_exception(std::string_view name) {
  const auto last = name.substr(name.rfind('.') + 1);
  return !last.empty() && std::isupper(static_cast<unsigned char>(last.front())) != 0 &&
         std::ranges::any_of(kExceptionEndings, [&](std::string_view ending) {
           return last.ends_with(ending) && last.size() > ending.size();
         });
}

template <std::size_t N>
bool holds_any(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

/// Whether the name of an exception may start here without a preceding traceback: at the start, or
/// after "x: ", "] ", "E   " (pytest).
bool starts_sentence(std::string_view line, std::size_t begin) {
  const auto before = line.substr(0, begin);
  const auto last = before.find_last_not_of(" \t");
  return last == std::string_view::npos || before[last] == ']' ||
         (before[last] == 'E' && last == 0) || before[last] == '|' || before[last] == '!' ||
         before[last] == ':';
}

}  // namespace

std::optional<Frame> frame_in(std::string_view line) {
  constexpr std::string_view kFile = "File \"";
  constexpr std::string_view kLine = "\", line ";
  const auto file = line.find(kFile);
  const auto number = file == std::string_view::npos ? file : line.find(kLine, file);
  if (number == std::string_view::npos) {
    return std::nullopt;
  }
  Frame frame;
  const auto begin = file + kFile.size();
  frame.path = line.substr(begin, number - begin);
  const auto digits = line.substr(number + kLine.size());
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), frame.line);
  if (parsed.ec != std::errc()) {
    return std::nullopt;
  }
  constexpr std::string_view kIn = ", in ";
  if (const auto in = digits.find(kIn); in != std::string_view::npos) {
    frame.function = digits.substr(in + kIn.size());
  }
  return frame;
}

std::optional<Said> exception_in(std::string_view line, bool alone) {
  std::size_t end = 0;
  for (std::size_t begin = 0; begin < line.size(); begin = end + 1) {
    end = begin;
    while (end < line.size() && is_name(line[end])) {
      ++end;
    }
    const auto name = line.substr(begin, end - begin);
    const bool starts =
        alone ? starts_sentence(line, begin) : begin == 0 || text::is_blank(line[begin - 1]);
    if (!starts || !(end == line.size() || line[end] == ':') || !is_exception(name)) {
      continue;
    }
    const auto rest = line.substr(std::min(end + 1, line.size()));
    Said said{std::string(name.substr(name.rfind('.') + 1)),
              std::string(rest.substr(rest.starts_with(' ') ? 1 : 0)),
              begin};
    const bool says = !said.message.empty() || said.exception == "AssertionError";
    return alone && !says ? std::nullopt : std::optional(std::move(said));
  }
  return std::nullopt;
}

std::optional<std::string> complaint_in(std::string_view line) {
  constexpr std::string_view kError = "error: ";
  const auto at = line.find(kError);
  auto text = line;
  if (at != std::string_view::npos && (at == 0 || line.substr(0, at).ends_with(": "))) {
    text = line.substr(at + kError.size());
  } else {
    const auto start = text.find_first_not_of(" \t");
    text.remove_prefix(std::min(start, text.size()));
  }
  const bool is_one = std::ranges::any_of(
      kComplaints, [&](std::string_view start) { return text.starts_with(start); });
  return is_one ? std::optional(std::string(text)) : std::nullopt;
}

std::optional<std::string> trouble_in(std::string_view line) {
  if (auto words = kernel_words_in(line)) {
    return words;
  }
  if (!holds_any(line, kTroubles)) {
    return std::nullopt;
  }
  const auto start = line.find_first_not_of(" \t");
  return std::string(line.substr(std::min(start, line.size())));
}

bool is_aftermath(std::string_view exception, std::string_view message) {
  constexpr std::array<std::string_view, 7> kExceptions = {"ChildFailedError",
                                                           "DistBackendError",
                                                           "SignalException",
                                                           "RendezvousConnectionError",
                                                           "RendezvousClosedError",
                                                           "RendezvousGracefulExitError",
                                                           "DistNetworkError"};
  constexpr std::array<std::string_view, 11> kWords = {"Watchdog caught collective",
                                                       "Connection closed by remote peer",
                                                       "Connection reset by peer",
                                                       "Connection closed by peer",
                                                       "Broken pipe",
                                                       "Socket Timeout",
                                                       "process group watchdog",
                                                       "collective operation timeout",
                                                       "NCCL communicator was aborted",
                                                       "ncclRemoteError",
                                                       "remote process exited"};
  return std::ranges::find(kExceptions, exception) != kExceptions.end() ||
         holds_any(message, kWords);
}

}  // namespace epwise::audit
