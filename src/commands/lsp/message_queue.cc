#include "commands/lsp/message_queue.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <istream>
#include <optional>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "commands/lsp/client.h"

namespace epwise::lsp {

namespace {

constexpr std::size_t kLongestLine = 4096;
constexpr int kMostLines = 64;
constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr std::size_t kShown = 60;

/// Bytes from an unknown protocol, safe to print on one line.
std::string shown(std::string_view line) {
  std::string text;
  for (const char c : line.substr(0, kShown)) {
    text += c >= ' ' && c <= '~' ? c : '?';
  }
  return text + (line.size() > kShown ? "..." : "");
}

/// A line without its end; nullopt at the end of the stream or if it is too long.
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
  // with its end: an incomplete one
  return line.empty() ? std::nullopt : std::optional(line + '\n');
}

bool is_name(std::string_view name, std::string_view wanted) {
  return std::ranges::equal(name, wanted, [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  });
}

Frame broken(std::string problem) {
  return {Frame::Kind::broken, {}, std::move(problem)};
}

/// The header up to its empty line.
struct Header {
  std::optional<std::size_t> length;
  bool at_end = false;  // nothing arrived at all
  std::string problem;
};

void read_field(std::string_view line, Header& header) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) {
    header.problem = fmt::format("`{}` is not a header line", shown(line));
    return;
  }
  if (!is_name(text::trimmed(line.substr(0, colon), text::kBlanks), "Content-Length")) {
    return;
  }
  const auto number = text::trimmed(line.substr(colon + 1), text::kBlanks);
  std::size_t length = 0;
  const auto result = std::from_chars(number.data(), number.data() + number.size(), length);
  if (result.ec != std::errc() || result.ptr != number.data() + number.size() || number.empty()) {
    header.problem = fmt::format("Content-Length `{}` is not a number", shown(number));
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

namespace {

constexpr std::string_view kChange = "textDocument/didChange";

/// A text at a path of members; empty if there is none.
std::string text_at(const Json& message, std::initializer_list<const char*> path) {
  const Json* at = &message;
  for (const char* key : path) {
    if (!at->is_object() || !at->contains(key)) {
      return {};
    }
    at = &(*at)[key];
  }
  return at->is_string() ? at->get<std::string>() : std::string();
}

Message message_of(const std::string& content) {
  Message received;
  try {
    received.message = std::make_shared<const Json>(Json::parse(content));
  } catch (const Json::exception& error) {
    received.garbled = error.what();
    received.message = std::make_shared<const Json>();
  }
  return received;
}

std::string changed_document(const Message& received) {
  return received.message && method_of(*received.message) == kChange
             ? text_at(*received.message, {"params", "textDocument", "uri"})
             : std::string();
}

/// The id in a cancellation.
std::string cancelled_id(const Message& received) {
  if (!received.message || method_of(*received.message) != "$/cancelRequest") {
    return {};
  }
  const auto params = received.message->find("params");
  return params == received.message->end() ? std::string() : id_of(*params);
}

}  // namespace

std::string method_of(const Json& message) {
  return text_at(message, {"method"});
}

std::string id_of(const Json& message) {
  if (!message.is_object()) {
    return {};
  }
  const auto id = message.find("id");
  const bool legal = id != message.end() && (id->is_number_integer() || id->is_string());
  return legal ? id->dump() : std::string();
}

void MessageQueue::fill(std::istream& in) {
  bool more = true;
  while (more) {
    Frame frame = read_frame(in);
    more = frame.kind == Frame::Kind::message;
    if (!more) {
      put({nullptr, std::move(frame.problem), {}});
      return;
    }
    Message received = message_of(frame.content);
    more = method_of(*received.message) != "exit";
    put(std::move(received));
  }
}

void MessageQueue::put(Message received) {
  const std::lock_guard lock(mutex_);
  if (auto uri = changed_document(received); !uri.empty()) {
    changing_.insert(std::move(uri));
  }
  if (auto id = cancelled_id(received); !id.empty()) {
    cancelled_.insert(std::move(id));
  }
  messages_.push_back(std::move(received));
  arrived_.notify_one();
}

Message MessageQueue::take() {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [this] { return !messages_.empty(); });
  Message received = std::move(messages_.front());
  messages_.pop_front();
  if (const auto found = changing_.find(changed_document(received)); found != changing_.end()) {
    changing_.erase(found);
  }
  // What it cancels came before it, and has already been answered.
  if (const auto found = cancelled_.find(cancelled_id(received)); found != cancelled_.end()) {
    cancelled_.erase(found);
  }
  return received;
}

bool MessageQueue::empty() const {
  const std::lock_guard lock(mutex_);
  return messages_.empty();
}

bool MessageQueue::changes(const std::string& uri) const {
  const std::lock_guard lock(mutex_);
  return changing_.contains(uri);
}

bool MessageQueue::cancels(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  return cancelled_.contains(id);
}

}  // namespace epwise::lsp
