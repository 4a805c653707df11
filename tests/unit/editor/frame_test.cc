#include "editor/frame.h"

#include <sstream>

#include <doctest/doctest.h>

#include "editor/inbox.h"

using epwise::editor::Frame;
using epwise::editor::Inbox;

namespace {

Frame read(const std::string& bytes) {
  std::istringstream in(bytes);
  return epwise::editor::read_frame(in);
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A stream of messages as a client sends them.
std::string framed(const std::vector<std::string>& messages) {
  std::ostringstream out;
  for (const std::string& message : messages) {
    epwise::editor::write_frame(out, message);
  }
  return out.str();
}

}  // namespace

TEST_CASE("A message is read to its last byte and no further") {
  std::istringstream in(
      "Content-Length: 2\r\n\r\n{}content-length:3\nContent-Type: x; charset=utf-8\n\n[1]");
  CHECK(epwise::editor::read_frame(in).content == "{}");
  CHECK(epwise::editor::read_frame(in).content == "[1]");
  CHECK(epwise::editor::read_frame(in).kind == Frame::Kind::end);
}

TEST_CASE("What is written can be read") {
  std::istringstream in(framed({"{\"a\":\"ü😀\"}", ""}));
  CHECK(epwise::editor::read_frame(in).content == "{\"a\":\"ü😀\"}");
  const Frame empty = epwise::editor::read_frame(in);
  CHECK(empty.kind == Frame::Kind::message);
  CHECK(empty.content.empty());
}

TEST_CASE("A broken frame says what is wrong with it") {
  struct Row {
    std::string bytes;
    std::string problem;
  };

  for (const Row& row : {Row{"hello\n", "`hello` is no line of a header"},
                         Row{"\r\n\r\n", "no Content-Length"},
                         Row{"Content-Type: a\r\n\r\n{}", "no Content-Length"},
                         Row{"Content-Length: two\r\n\r\n", "`two` is no number"},
                         Row{"Content-Length: -1\r\n\r\n", "`-1` is no number"},
                         Row{"Content-Length:\r\n\r\n", "`` is no number"},
                         Row{"Content-Length: 99999999999999999999999\r\n\r\n", "is no number"},
                         Row{"Content-Length: 1000000000\r\n\r\n", "is longer than"},
                         Row{"Content-Length: 10\r\n\r\n{}", "after 2 of 10 bytes"},
                         Row{"Content-Length: 10\r\n", "ended inside a header"},
                         Row{"Content-Le", "ended inside a header"},
                         Row{std::string(5000, 'x'), "longer than 4096 bytes"},
                         Row{"\x1b[2J\n", "`?[2J`"}}) {
    CAPTURE(row.bytes);
    const Frame frame = read(row.bytes);
    CHECK(frame.kind == Frame::Kind::broken);
    CAPTURE(frame.problem);
    CHECK(holds(frame.problem, row.problem));
  }
  std::string many;
  for (int i = 0; i < 100; ++i) {
    many += "X: y\r\n";
  }
  CHECK(holds(read(many).problem, "more than 64 lines"));
}

TEST_CASE("An inbox ends with exit, and says why a stream can't be read on") {
  Inbox inbox;
  std::istringstream in(framed({R"({"method":"a"})", "{", R"({"method":"exit"})"}) + "rubbish");
  inbox.fill(in);
  CHECK(epwise::editor::method_of(*inbox.take().message) == "a");
  CHECK_FALSE(inbox.take().garbled.empty());
  CHECK(epwise::editor::method_of(*inbox.take().message) == "exit");
  CHECK(inbox.empty());  // what follows exit is nobody's
  Inbox other;
  std::istringstream rubbish("rubbish\n");
  other.fill(rubbish);
  const auto last = other.take();
  CHECK(last.message == nullptr);
  CHECK(holds(last.problem, "rubbish"));
}

TEST_CASE("An inbox knows what waits") {
  Inbox inbox;
  std::istringstream in(framed(
      {R"({"method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///a"}}})",
       R"({"method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///a"}}})",
       R"({"method":"$/cancelRequest","params":{"id":7}})",
       R"({"method":"$/cancelRequest","params":{"id":"7"}})",
       R"({"method":"textDocument/didChange","params":[]})"}));
  inbox.fill(in);
  CHECK(inbox.cancels("7"));
  CHECK(inbox.cancels("\"7\""));
  CHECK_FALSE(inbox.cancels("8"));
  inbox.take();
  CHECK(inbox.changes("file:///a"));
  inbox.take();
  CHECK_FALSE(inbox.changes("file:///a"));
  inbox.take();
  CHECK_FALSE(inbox.cancels("7"));
  CHECK(inbox.cancels("\"7\""));
}
