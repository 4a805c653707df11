#include "audit/error_line.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace epwise::audit {

namespace {

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

/// "AssertionError", "megatron.core.Problem" is none: exceptions are known by their endings.
bool is_exception(std::string_view name) {
  constexpr std::array<std::string_view, 5> kEndings = {
      "Error", "Exception", "Exit", "Interrupt", "Iteration"};
  const auto last = name.substr(name.rfind('.') + 1);
  return !last.empty() && std::isupper(static_cast<unsigned char>(last.front())) != 0 &&
         std::ranges::any_of(kEndings, [&](std::string_view ending) {
           return last.ends_with(ending) && last.size() > ending.size();
         });
}

template <std::size_t N>
bool holds_any(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

/// Whether the name of an exception may start here when no traceback leads to it: at the start, or
/// behind "x: ", "] ", "E   " (pytest).
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
        alone ? starts_sentence(line, begin) : begin == 0 || is_blank(line[begin - 1]);
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
  constexpr std::array<std::string_view, 4> kStarts = {"argument -",
                                                       "unrecognized arguments: ",
                                                       "the following arguments are required",
                                                       "ambiguous option: "};
  const bool is_one =
      std::ranges::any_of(kStarts, [&](std::string_view start) { return text.starts_with(start); });
  return is_one ? std::optional(std::string(text)) : std::nullopt;
}

std::optional<std::string> trouble_in(std::string_view line) {
  constexpr std::array<std::string_view, 10> kWords = {
      "Watchdog caught collective operation timeout",
      "CUDA out of memory",
      "oom_kill event",
      "oom-kill event",
      "Out Of Memory",
      "Fatal Python error: ",
      "NCCL WARN ",
      "CUDA error: ",
      "Segmentation fault",
      "Bus error"};
  if (!holds_any(line, kWords)) {
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
  constexpr std::array<std::string_view, 10> kWords = {"Watchdog caught collective",
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
