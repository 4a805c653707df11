#include "audit/crash_log.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "audit/error_line.h"
#include "audit/log_line.h"

namespace epwise::audit {

namespace {

constexpr std::size_t kLongestMessage = 4000;
constexpr std::size_t kLongestCode = 400;
constexpr std::size_t kMostLines = 8;  // of one message
constexpr std::size_t kMostCrashes = 500;

std::string_view next_line(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  auto line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return line;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

/// "  rank      : 3 (local_rank: 3)" → 3
std::optional<int> entry(std::string_view line, std::string_view name) {
  const auto start = std::min(line.find_first_not_of(" \t"), line.size());
  line.remove_prefix(start);
  const auto colon = line.find(':');
  if (!line.starts_with(name) || colon == std::string_view::npos ||
      !is_blank(line.substr(name.size(), colon - name.size()))) {
    return std::nullopt;
  }
  line.remove_prefix(std::min(line.find_first_not_of(' ', colon + 1), line.size()));
  int value = 0;
  const auto parsed = std::from_chars(line.data(), line.data() + line.size(), value);
  return parsed.ec == std::errc() ? std::optional(value) : std::nullopt;
}

/// Python's own modules raise at the last frame what Megatron's line in front of it asked for.
std::string innermost(const std::vector<std::string>& code) {
  constexpr std::size_t kFrames = 3;
  std::string text;
  for (auto each = code.size() - std::min(kFrames, code.size()); each < code.size(); ++each) {
    text += text.empty() ? "" : " ";
    text += code[each];
  }
  return text;
}

/// What one writer of the log is about to tell.
struct Telling {
  std::vector<Frame> frames;
  std::vector<std::string> code;  // of each frame
  std::size_t indent = 0;         // in front of the frames
  bool ignored = false;           // Python went on after it
  bool stamped = false;           // the line of the error was
  std::size_t crash = 0;          // whose message goes on
  std::size_t extends = 0;        // lines that it may still have
};

class Reader {
 public:
  CrashLog run(std::string_view log) {
    while (!log.empty()) {
      const auto line = next_line(log);
      ++number_;
      take(read_line(line), line);
    }
    std::vector<Crash>& crashes = log_.crashes;
    for (auto& crash : crashes) {
      std::ranges::sort(crash.ranks);
      crash.ranks.erase(std::unique(crash.ranks.begin(), crash.ranks.end()), crash.ranks.end());
    }
    std::ranges::stable_sort(crashes, {}, [&](const Crash& crash) { return order(crash); });
    return std::move(log_);
  }

 private:
  /// What torchrun saw first counts more than what the log has first.
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
      telling.extends = 0;
      telling.indent = line.text.find("File \"");
      telling.frames.push_back(std::move(*frame));
      telling.code.push_back({});
      return;
    }
    if (of_launcher(line.text) || error(telling, line, whole) || code(telling, line.text)) {
      return;
    }
    extend(telling, line);
  }

  /// torchrun's table of failures: its second half is about the first of them.
  bool of_launcher(std::string_view text) {
    if (text.find("Root Cause (first observed failure)") != std::string_view::npos) {
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
    if (said && (alone || said->column < telling.indent)) {  // else a source line raises it
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
      add(telling, {.message = std::move(*trouble), .kind = Crash::Kind::mentioned}, line);
      telling.extends = 0;
      return true;
    }
    return false;
  }

  /// The source lines behind a frame; the marks below them say nothing.
  static bool code(Telling& telling, std::string_view text) {
    if (telling.frames.empty() || is_blank(text)) {
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

  /// Messages go over several lines; a blank one, or the launcher's own words end them. Prefixes
  /// are often written in front of the first line only.
  void extend(Telling& own, const LogLine& line) {
    const bool unmarked = own.extends == 0 && line.channel.empty() && spoken_ + 1 == number_;
    auto& telling = unmarked ? tellings_[speaker_] : own;
    if (telling.extends == 0) {
      return;
    }
    if (is_blank(line.text) || (line.stamped && !telling.stamped) || is_of_logger(line) ||
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
    if (is_aftermath(crash.exception, crash.message)) {
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

  /// A line that mentions an error again says nothing new; of two tracebacks the places count.
  static bool tells_the_same(const Crash& other, const Crash& crash) {
    if (other.exception != crash.exception || !other.message.starts_with(crash.message) ||
        (crash.message.empty() && !other.message.empty())) {
      return false;
    }
    return crash.frames.empty() || other.frames.empty() ||
           (other.frames.back().line == crash.frames.back().line &&
            other.frames.back().path == crash.frames.back().path);
  }

  CrashLog log_;
  std::map<std::string, Telling> tellings_;  // by channel
  std::string speaker_;                      // who told the last error, and the last line of it
  int spoken_ = 0;
  int number_ = 0;
};

}  // namespace

CrashLog read_crashes(std::string_view log) {
  if (log.find("\x1b[") != std::string_view::npos) {
    return Reader().run(without_colours(log));
  }
  return Reader().run(log);
}

}  // namespace epwise::audit
