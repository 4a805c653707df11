#include "audit/crash_log.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

namespace epwise::audit {

namespace {

constexpr std::size_t kLongestMessage = 4000;
constexpr std::size_t kMostLines = 8;  // of one message

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

/// `  File "x.py", line 12, in f` behind any prefix.
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

struct Said {
  std::string exception;
  std::string message;
};

/// "AssertionError: text", "ValueError", "megatron.core.Problem: text" behind any prefix: the name
/// of an exception starts with a capital letter behind its last dot and ends as exceptions do.
std::optional<Said> exception_in(std::string_view line) {
  for (const std::string_view ending : {"Error", "Exception", "Exit"}) {
    for (auto at = line.find(ending); at != std::string_view::npos;
         at = line.find(ending, at + 1)) {
      const auto end = at + ending.size();
      const bool alone = end == line.size() || line[end] == ':' || line[end] == '\r';
      auto begin = at;
      while (begin > 0 && is_name(line[begin - 1])) {
        --begin;
      }
      const bool starts = begin == 0 || line[begin - 1] == ' ' || line[begin - 1] == '\t';
      const auto name = line.substr(begin, end - begin);
      const auto last = name.substr(name.rfind('.') + 1);
      if (alone && starts && std::isupper(static_cast<unsigned char>(last.front())) != 0) {
        const auto rest = line.substr(std::min(end + 1, line.size()));
        return Said{std::string(last), std::string(rest.substr(rest.starts_with(' ') ? 1 : 0))};
      }
    }
  }
  return std::nullopt;
}

/// "pretrain_gpt.py: error: argument --x: invalid int value: 'y'"
std::optional<std::string> complaint_in(std::string_view line) {
  constexpr std::string_view kError = ": error: ";
  const auto at = line.find(kError);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const auto text = line.substr(at + kError.size());
  for (const std::string_view start :
       {"argument ", "unrecognized arguments", "the following arguments", "ambiguous option"}) {
    if (text.starts_with(start)) {
      return std::string(text);
    }
  }
  return std::nullopt;
}

std::string_view next_line(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  auto line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return line;
}

class Reader {
 public:
  std::vector<Crash> run(std::string_view log) {
    while (!log.empty()) {
      const auto line = next_line(log);
      ++number_;
      take(line);
    }
    return std::move(crashes_);
  }

 private:
  void take(std::string_view line) {
    if (line.find("Traceback (most recent call last)") != std::string_view::npos) {
      frames_.clear();
      extends_ = 0;
      return;
    }
    if (auto frame = frame_in(line)) {
      frames_.push_back(std::move(*frame));
      extends_ = 0;
      return;
    }
    if (auto complaint = complaint_in(line)) {
      add({{}, "", std::move(*complaint), number_});
      return;
    }
    auto said = frames_.empty() ? std::nullopt : exception_in(line);
    if (said) {
      add({std::move(frames_), std::move(said->exception), std::move(said->message), number_});
      frames_.clear();
      extends_ = kMostLines;
      return;
    }
    extend(line);
  }

  /// Messages go over several lines; a blank one or the launcher's own words end them.
  void extend(std::string_view line) {
    if (extends_ == 0 || line.find_first_not_of(" \t") == std::string_view::npos ||
        line.find("During handling of") != std::string_view::npos) {
      extends_ = 0;
      return;
    }
    --extends_;
    auto& message = crashes_.back().message;
    if (message.size() + line.size() < kLongestMessage) {
      message += message.empty() ? "" : " ";
      message += line;
    }
  }

  void add(Crash crash) {
    const auto same = std::ranges::find_if(crashes_, [&](const Crash& other) {
      return other.exception == crash.exception && other.message == crash.message &&
             (other.frames.empty()
                  ? crash.frames.empty()
                  : !crash.frames.empty() && other.frames.back().line == crash.frames.back().line);
    });
    if (same == crashes_.end()) {
      crashes_.push_back(std::move(crash));
    }
  }

  std::vector<Crash> crashes_;
  std::vector<Frame> frames_;
  std::size_t extends_ = 0;
  int number_ = 0;
};

}  // namespace

std::vector<Crash> read_crashes(std::string_view log) {
  return Reader().run(log);
}

}  // namespace epwise::audit
