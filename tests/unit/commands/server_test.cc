#include "commands/lsp/server.h"

#include <csignal>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/os/crash_guard.h"
#include "base/os/files.h"
#include "commands/lsp/message_queue.h"
#include "support/sampling.h"

using epwise::lsp::Ending;
using epwise::lsp::Frame;
using epwise::lsp::Json;
using epwise::lsp::LintedDocument;
using epwise::lsp::MessageQueue;
using epwise::lsp::Server;

namespace {

/// Says of every text that its first word is a problem, and counts.
class FakeService : public epwise::lsp::LintService {
 public:
  std::vector<std::string> linted;
  epwise::lsp::Settings wished;
  int forgotten = 0;
  std::function<void()> meanwhile = [] {};  // while it lints

  void set(const epwise::lsp::Settings& wishes, const std::string&) override {
    for (const auto& [name, value] : wishes) {
      if (name == "hv") {
        throw epwise::os::UsageError("no such setting `hv`, did you mean `hw`?");
      }
    }
    wished = wishes;
  }

  void forget() override { ++forgotten; }

  std::string name_of(const std::string& absolute) const override { return absolute; }

  std::shared_ptr<const LintedDocument> lint(
      const std::shared_ptr<const epwise::text::SourceFile>& file) override {
    linted.emplace_back(file->bytes());
    meanwhile();
    if (file->bytes().starts_with("crash")) {
      ::raise(SIGSEGV);
    }
    const auto reading = std::make_shared<LintedDocument>();
    reading->file = file;
    reading->problem = file->bytes().substr(0, file->bytes().find(' '));
    return reading;
  }
};

/// A conversation: everything that the client says lies in the queue before the server starts.
struct Talk {
  FakeService service;
  Ending ending;
  std::vector<Json> said;

  explicit Talk(const std::vector<std::string>& messages, bool initialized = true) {
    const epwise::os::CrashScope crashes;
    std::ostringstream stream;
    if (initialized) {
      epwise::lsp::write_frame(
          stream, R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{}}})");
    }
    for (const std::string& message : messages) {
      epwise::lsp::write_frame(stream, message);
    }
    std::istringstream in(stream.str());
    MessageQueue queue;
    queue.fill(in);
    std::ostringstream out;
    ending = Server(service, out, "1.2.3").serve(queue);
    std::istringstream back(out.str());
    for (Frame frame = epwise::lsp::read_frame(back); frame.kind == Frame::Kind::message;
         frame = epwise::lsp::read_frame(back)) {
      said.push_back(Json::parse(frame.content));
    }
  }

  /// The answer to a request; null where there is none.
  Json answer(const Json& id) const {
    for (const Json& message : said) {
      if (message.contains("id") && message["id"] == id && !message.contains("method")) {
        return message;
      }
    }
    return nullptr;
  }

  std::vector<Json> notes(const std::string& method) const {
    std::vector<Json> found;
    for (const Json& message : said) {
      if (message.contains("method") && message["method"] == method) {
        found.push_back(message["params"]);
      }
    }
    return found;
  }
};

std::string opening(const std::string& text) {
  return R"({"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":)"
         R"({"uri":"file:///a.yaml","languageId":"yaml","version":1,"text":")" +
         text + R"("}}})";
}

std::string changing(int version, const std::string& text) {
  return R"({"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":)"
         R"({"uri":"file:///a.yaml","version":)" +
         std::to_string(version) + R"(},"contentChanges":[{"text":")" + text + R"("}]}})";
}

std::string asking(const std::string& id, const std::string& method) {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method +
         R"(","params":{"textDocument":{"uri":"file:///a.yaml"},"position":)"
         R"({"line":0,"character":0}}})";
}

const std::string kExit = R"({"jsonrpc":"2.0","method":"exit"})";

}  // namespace

TEST_CASE("A conversation from initialize to exit") {
  const Talk talk({R"({"jsonrpc":"2.0","method":"initialized","params":{}})",
                   R"({"jsonrpc":"2.0","id":"s","method":"shutdown"})",
                   kExit});
  CHECK(talk.ending.kind == Ending::Kind::orderly);
  const Json start = talk.answer(0);
  CHECK(start["result"]["serverInfo"]["version"] == "1.2.3");
  CHECK(start["result"]["capabilities"]["positionEncoding"] == "utf-16");
  CHECK_FALSE(start["result"]["capabilities"].contains("diagnosticProvider"));
  CHECK(talk.answer("s").contains("result"));
  CHECK(talk.answer("s")["result"].is_null());
}

TEST_CASE("The ways to end") {
  CHECK(Talk({kExit}).ending.kind == Ending::Kind::without_shutdown);
  CHECK(Talk({}).ending.kind == Ending::Kind::without_shutdown);
  CHECK(Talk({}, false).ending.kind == Ending::Kind::without_shutdown);
  CHECK(Talk({R"({"id":1,"method":"shutdown"})"}).ending.kind == Ending::Kind::orderly);
  FakeService service;
  MessageQueue queue;
  std::istringstream in("Content-Length: 7\r\n\r\n{}");
  queue.fill(in);
  std::ostringstream out;
  const Ending ending = Server(service, out, "").serve(queue);
  CHECK(ending.kind == Ending::Kind::broken);
  CHECK(ending.problem == "the stream ended after 2 of 7 bytes of a message");
}

TEST_CASE("What can't be answered gets the protocol's error") {
  const Talk early({asking("1", "textDocument/hover")}, false);
  CHECK(early.answer(1)["error"]["code"] == -32002);
  const Talk talk({asking("1", "textDocument/rename"),
                   asking("2", "$/whatever"),
                   R"({"jsonrpc":"2.0","method":"$/whatever"})",
                   R"({"jsonrpc":"2.0","id":9,"result":null})",
                   asking("3", "textDocument/hover"),  // nothing is open
                   R"({"jsonrpc":"2.0","id":4,"method":"textDocument/hover","params":[]})",
                   R"({"jsonrpc":"2.0","id":5,"method":"textDocument/hover"})",
                   asking("6", "initialize"),
                   R"({"jsonrpc":"2.0","id":[7],"method":"textDocument/hover"})",
                   "[]",
                   "{oops",
                   R"({"jsonrpc":"2.0","id":8,"method":"shutdown"})",
                   asking("10", "textDocument/hover"),
                   kExit});
  CHECK(talk.answer(1)["error"]["code"] == -32601);
  CHECK(talk.answer(2)["error"]["code"] == -32601);
  CHECK(talk.answer(3)["error"]["code"] == -32602);
  CHECK(talk.answer(4)["error"]["code"] == -32602);
  CHECK(talk.answer(5)["error"]["code"] == -32602);
  CHECK(talk.answer(6)["error"]["code"] == -32600);
  CHECK(talk.answer(10)["error"]["code"] == -32600);
  std::vector<int> lost;
  for (const Json& message : talk.said) {
    if (message.contains("id") && message["id"].is_null()) {
      lost.push_back(message["error"]["code"]);
    }
  }
  CHECK(lost == std::vector<int>{-32600, -32600, -32700});
  CHECK(talk.ending.kind == Ending::Kind::orderly);
}

TEST_CASE("Only the last of several changes that wait is linted and published") {
  const Talk talk({opening("one "), changing(2, "two "), changing(3, "three ")});
  CHECK(talk.service.linted == std::vector<std::string>{});  // the end came before there was time
  // The end waits behind a request, which needs the text read.
  const Talk asked({opening("one "),
                    changing(2, "two "),
                    changing(3, "three "),
                    asking("1", "textDocument/hover")});
  CHECK(asked.service.linted == std::vector<std::string>{"three "});
  CHECK(asked.answer(1)["result"].is_null());
}

TEST_CASE("A crash answers its request with an error, and the editor's session goes on" *
          doctest::skip(epwise::test::sanitized_share(2) == 2)) {  // which takes the signals

  const Talk talk({opening("crash here"),
                   asking("1", "textDocument/hover"),
                   changing(2, "sound again"),
                   asking("2", "textDocument/hover"),
                   R"({"jsonrpc":"2.0","id":"s","method":"shutdown"})",
                   kExit});
  CHECK(talk.ending.kind == Ending::Kind::orderly);
  CHECK(talk.answer(1)["error"]["message"] ==
        "internal error in textDocument/hover: segmentation fault (signal 11)");
  CHECK(talk.answer(2).contains("result"));
}

TEST_CASE("A cancelled request is not worked on") {
  const Talk talk({opening("one "),
                   asking("1", "textDocument/hover"),
                   R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}})",
                   asking("1", "textDocument/hover")});
  std::vector<Json> answers;
  for (const Json& message : talk.said) {
    if (message.contains("id") && message["id"] == 1) {
      answers.push_back(message);
    }
  }
  REQUIRE(answers.size() == 2);
  CHECK(answers[0]["error"]["code"] == -32800);
  CHECK(answers[1].contains("result"));  // the number is free again
}

TEST_CASE("A wrong change is said, and the next one counts") {
  const Talk talk({opening("one "),
                   R"({"jsonrpc":"2.0","method":"textDocument/didChange","params":{}})",
                   changing(2, "two "),
                   asking("1", "textDocument/hover")});
  REQUIRE(talk.notes("window/logMessage").size() == 2);  // and the problem of the text
  CHECK(talk.notes("window/logMessage")[0]["type"] == 1);
  CHECK(talk.service.linted == std::vector<std::string>{"two "});
}

TEST_CASE("Diagnostics are pulled where the client can, and not sent twice") {
  const std::string pull = R"({"jsonrpc":"2.0","id":1,"method":"textDocument/diagnostic","params":)"
                           R"({"textDocument":{"uri":"file:///a.yaml"}}})";
  const std::string again =
      R"({"jsonrpc":"2.0","id":2,"method":"textDocument/diagnostic","params":)"
      R"({"textDocument":{"uri":"file:///a.yaml"},"previousResultId":"1"}})";
  const Talk talk(
      {R"({"id":0,"method":"initialize","params":{"initializationOptions":{"hw":"h100"},)"
       R"("capabilities":{"textDocument":{"diagnostic":{}},)"
       R"("general":{"positionEncodings":["utf-7","utf-8"]}}}})",
       opening("one "),
       pull,
       again,
       R"({"method":"textDocument/didClose","params":{"textDocument":{"uri":"file:///a.yaml"}}})"},
      false);
  CHECK(talk.answer(0)["result"]["capabilities"]["positionEncoding"] == "utf-8");
  CHECK(talk.answer(1)["result"]["kind"] == "full");
  CHECK(talk.answer(1)["result"]["items"][0]["message"] == "one");
  CHECK(talk.answer(2)["result"]["kind"] == "unchanged");
  CHECK(talk.notes("textDocument/publishDiagnostics").empty());
  CHECK(talk.service.wished == epwise::lsp::Settings{{"hw", "h100"}});
}

TEST_CASE("Settings are read, and wrong ones shown") {
  const Talk talk({R"({"method":"workspace/didChangeConfiguration","params":{"settings":{"epwise":)"
                   R"({"gpus":64,"stack":{"te":"2.14.0"},"env":{"A":null},"ignore":["a/","b"],)"
                   R"("hw":null}}}})",
                   R"({"method":"workspace/didChangeConfiguration","params":{"settings":null}})",
                   R"({"method":"workspace/didChangeConfiguration","params":{"settings":)"
                   R"({"hv":"h100"}}})",
                   R"({"method":"workspace/didChangeConfiguration","params":{"settings":)"
                   R"({"hw":{"a":[]}}}})"});
  CHECK(
      talk.service.wished ==
      epwise::lsp::Settings{
          {"gpus", "64"}, {"stack", "te=2.14.0"}, {"env", "A"}, {"ignore", "a/"}, {"ignore", "b"}});
  const auto shown = talk.notes("window/showMessage");
  REQUIRE(shown.size() == 2);
  CHECK(shown[0]["message"] == "epwise: no such setting `hv`, did you mean `hw`?");
  CHECK(shown[1]["message"] ==
        "epwise: the editor's setting `hw` is not a string, number or boolean");
}

TEST_CASE("A text is published when nothing else waits, with its version, and taken back") {
  FakeService service;
  MessageQueue queue;
  std::ostringstream out;
  const auto put = [&queue](const std::string& message) {
    queue.put({std::make_shared<const Json>(Json::parse(message)), {}, {}});
  };
  put(R"({"id":0,"method":"initialize","params":{"capabilities":{}}})");
  put(opening("one "));
  // What happens while the first text is linted, and the second.
  service.meanwhile = [&] {
    if (service.linted.size() == 1) {
      put(changing(2, "two "));
    } else {
      put(R"({"method":"textDocument/didSave","params":{"textDocument":{"uri":"file:///a.yaml"}}})");
      put(R"({"method":"textDocument/didClose","params":{"textDocument":{"uri":"file:///a.yaml"}}})");
      put(kExit);
    }
  };
  Server(service, out, "").serve(queue);
  CHECK(service.linted == std::vector<std::string>{"one ", "two "});
  CHECK(service.forgotten == 1);
  const std::string said = out.str();
  CHECK(said.find(R"("message":"one")") == std::string::npos);  // stale before it was ready
  const auto second = said.find(R"("uri":"file:///a.yaml","version":2,"diagnostics":[{)");
  const auto gone = said.find(R"("uri":"file:///a.yaml","version":2,"diagnostics":[]})");
  CHECK(second != std::string::npos);
  CHECK(gone != std::string::npos);
  CHECK(second < gone);
}
