#include "editor/frame.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <istream>
#include <optional>
#include <ostream>

#include <fmt/format.h>

namespace epwise::editor {

namespace {

constexpr std::size_t kLongestLine = 4096;
constexpr int kMostLines = 64;
constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr std::size_t kShown = 60;

/// Bytes of somebody else's protocol, safe to print on one line.
std::string shown(std::string_view line) {
  std::string text;
  for (const char c : line.substr(0, kShown)) {
    text += c >= ' ' && c <= '~' ? c : '?';
  }
  return text + (line.size() > kShown ? "..." : "");
}

/// A line without its end; nullopt at the end of the stream or where it is too long.
std::optional<std::string> read_line(std::istream& in) {
  std::string line;
  for (int c = in.get(); c != std::istream::traits_type::eof(); c = in.get()) {
    if (c == '\n') {
      if (line.ends_with('\r')) {
        line.pop_back();
      }
      return line;
    }
    line += static_cast<char>(c);
    if (line.size() > kLongestLine) {
      break;
    }
  }
  return line.empty() ? std::nullopt : std::optional(line + '\n');  // with its end: not a whole one
}

bool is_name(std::string_view name, std::string_view wanted) {
  return std::ranges::equal(name, wanted, [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) {
    text.remove_suffix(1);
  }
  return text;
}

Frame broken(std::string problem) {
  return {Frame::Kind::broken, {}, std::move(problem)};
}

/// The header up to its empty line.
struct Header {
  std::optional<std::size_t> length;
  bool at_end = false;  // nothing came at all
  std::string problem;
};

void read_field(std::string_view line, Header& header) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) {
    header.problem = fmt::format("`{}` is no line of a header", shown(line));
    return;
  }
  if (!is_name(trimmed(line.substr(0, colon)), "Content-Length")) {
    return;
  }
  const auto number = trimmed(line.substr(colon + 1));
  std::size_t length = 0;
  const auto result = std::from_chars(number.data(), number.data() + number.size(), length);
  if (result.ec != std::errc() || result.ptr != number.data() + number.size() || number.empty()) {
    header.problem = fmt::format("Content-Length `{}` is no number", shown(number));
  } else if (length > kLargestFrame) {
    header.problem = fmt::format("a message of {} bytes is longer than {}", length, kLargestFrame);
  } else {
    header.length = length;
  }
}

Header read_header(std::istream& in) {
  Header header;
  for (int lines = 0; lines < kMostLines; ++lines) {
    const auto line = read_line(in);
    if (!line) {
      header.at_end = lines == 0;
      header.problem = header.at_end ? "" : "the stream ended inside a header";
      return header;
    }
    if (line->ends_with('\n')) {
      header.problem = line->size() > kLongestLine
                           ? fmt::format("a header line is longer than {} bytes", kLongestLine)
                           : "the stream ended inside a header";
      return header;
    }
    if (line->empty()) {
      header.problem = header.length ? "" : "a header has no Content-Length";
      return header;
    }
    read_field(*line, header);
    if (!header.problem.empty()) {
      return header;
    }
  }
  header.problem = fmt::format("a header has more than {} lines", kMostLines);
  return header;
}

}  // namespace

Frame read_frame(std::istream& in) {
  const Header header = read_header(in);
  if (header.at_end) {
    return {};
  }
  if (!header.problem.empty()) {
    return broken(header.problem);
  }
  Frame frame{Frame::Kind::message, {}, {}};
  while (frame.content.size() < *header.length) {
    const std::size_t had = frame.content.size();
    const std::size_t wanted = std::min(kChunk, *header.length - had);
    frame.content.resize(had + wanted);
    in.read(frame.content.data() + had, static_cast<std::streamsize>(wanted));
    if (in.gcount() < static_cast<std::streamsize>(wanted)) {
      return broken(fmt::format("the stream ended after {} of {} bytes of a message",
                                had + static_cast<std::size_t>(in.gcount()),
                                *header.length));
    }
  }
  return frame;
}

void write_frame(std::ostream& out, std::string_view content) {
  out << "Content-Length: " << content.size() << "\r\n\r\n" << content;
  out.flush();
}

}  // namespace epwise::editor
