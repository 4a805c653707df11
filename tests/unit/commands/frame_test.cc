#include <sstream>

#include <doctest/doctest.h>

#include "commands/lsp/message_queue.h"

using epwise::lsp::Frame;
using epwise::lsp::MessageQueue;

namespace {

Frame read(const std::string& bytes) {
  std::istringstream in(bytes);
  return epwise::lsp::read_frame(in);
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A stream of messages as a client sends them.
std::string framed(const std::vector<std::string>& messages) {
  std::ostringstream out;
  for (const std::string& message : messages) {
    epwise::lsp::write_frame(out, message);
  }
  return out.str();
}

}  // namespace

TEST_CASE("A message is read to its last byte and no further") {
  std::istringstream in(
      "Content-Length: 2\r\n\r\n{}content-length:3\nContent-Type: x; charset=utf-8\n\n[1]");
  CHECK(epwise::lsp::read_frame(in).content == "{}");
  CHECK(epwise::lsp::read_frame(in).content == "[1]");
  CHECK(epwise::lsp::read_frame(in).kind == Frame::Kind::end);
}

TEST_CASE("What is written can be read") {
  std::istringstream in(framed({"{\"a\":\"ü😀\"}", ""}));
  CHECK(epwise::lsp::read_frame(in).content == "{\"a\":\"ü😀\"}");
  const Frame empty = epwise::lsp::read_frame(in);
  CHECK(empty.kind == Frame::Kind::message);
  CHECK(empty.content.empty());
}

TEST_CASE("A broken frame says what is wrong with it") {
  struct Row {
    std::string bytes;
    std::string problem;
  };

  for (const Row& row : {Row{"hello\n", "`hello` is not a header line"},
                         Row{"\r\n\r\n", "no Content-Length"},
                         Row{"Content-Type: a\r\n\r\n{}", "no Content-Length"},
                         Row{"Content-Length: two\r\n\r\n", "`two` is not a number"},
                         Row{"Content-Length: -1\r\n\r\n", "`-1` is not a number"},
                         Row{"Content-Length:\r\n\r\n", "`` is not a number"},
                         Row{"Content-Length: 99999999999999999999999\r\n\r\n", "is not a number"},
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
    CHECK(mentions(frame.problem, row.problem));
  }
  std::string many;
  for (int i = 0; i < 100; ++i) {
    many += "X: y\r\n";
  }
  CHECK(mentions(read(many).problem, "more than 64 lines"));
}

TEST_CASE("An queue ends with exit, and says why a stream can't be read on") {
  MessageQueue queue;
  std::istringstream in(framed({R"({"method":"a"})", "{", R"({"method":"exit"})"}) + "rubbish");
  queue.fill(in);
  CHECK(epwise::lsp::method_of(*queue.take().message) == "a");
  CHECK_FALSE(queue.take().garbled.empty());
  CHECK(epwise::lsp::method_of(*queue.take().message) == "exit");
  CHECK(queue.empty());  // what follows exit is nobody's
  MessageQueue other;
  std::istringstream rubbish("rubbish\n");
  other.fill(rubbish);
  const auto last = other.take();
  CHECK(last.message == nullptr);
  CHECK(mentions(last.problem, "rubbish"));
}

TEST_CASE("An queue knows what waits") {
  MessageQueue queue;
  std::istringstream in(framed(
      {R"({"method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///a"}}})",
       R"({"method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///a"}}})",
       R"({"method":"$/cancelRequest","params":{"id":7}})",
       R"({"method":"$/cancelRequest","params":{"id":"7"}})",
       R"({"method":"textDocument/didChange","params":[]})"}));
  queue.fill(in);
  CHECK(queue.cancels("7"));
  CHECK(queue.cancels("\"7\""));
  CHECK_FALSE(queue.cancels("8"));
  queue.take();
  CHECK(queue.changes("file:///a"));
  queue.take();
  CHECK_FALSE(queue.changes("file:///a"));
  queue.take();
  CHECK_FALSE(queue.cancels("7"));
  CHECK(queue.cancels("\"7\""));
}
