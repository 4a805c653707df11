/// The language server on any bytes. The first byte chooses: a stream as it comes over standard
/// input ('r'), or messages on lines, behind an initialize ('m'), or, for 1, a session of known
/// messages about made recipes, which the bytes behind it choose. What must hold: the conversation
/// ends, everything that is said is framed JSON, and every range that is named begins before it
/// ends.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "commands/lsp/message_queue.h"
#include "commands/lsp/server.h"
#include "lint/knowledge.h"
#include "session/analysis.h"
#include "support/choices.h"
#include "support/fuzz_target.h"
#include "support/recent.h"
#include "support/require.h"

namespace {

using epwise::lsp::Frame;
using epwise::lsp::Json;
using epwise::lsp::LintedDocument;
using epwise::support::require;

/// Lints without configuration and disk.
class Desk : public epwise::lsp::LintService {
 public:
  void set(const epwise::lsp::Settings&, const std::string&) override {}

  void forget() override {}

  std::string name_of(const std::string& absolute) const override { return absolute; }

  std::shared_ptr<const LintedDocument> lint(
      const std::shared_ptr<const epwise::text::SourceFile>& file) override {
    static epwise::support::Recent<LintedDocument> recent;
    return recent.of(file->name() + '\n' + std::string(file->bytes()),
                     [&file] { return read(file); });
  }

 private:
  static std::shared_ptr<const LintedDocument> read(
      const std::shared_ptr<const epwise::text::SourceFile>& file) {
    static const auto kKnowledge =
        std::make_shared<const epwise::lint::Knowledge>(epwise::lint::load_knowledge());
    static const auto kVocabularies = std::make_shared<epwise::session::Vocabularies>();
    const auto reading = std::make_shared<LintedDocument>();
    reading->file = file;
    auto document = std::make_shared<epwise::session::Document>();
    document->path = file->name();
    document->knowledge = kKnowledge;
    document->vocabularies = kVocabularies;
    document->request.file = file;
    document->acceptance.today = "2026-11-22";
    reading->analyses = epwise::session::analyze(document);
    return reading;
  }
};

void check_ranges(const Json& json) {
  if (json.is_object() && json.contains("start") && json.contains("end")) {
    const auto place = [&json](const char* key) {
      return std::pair(json[key]["line"].get<std::size_t>(),
                       json[key]["character"].get<std::size_t>());
    };
    require(place("start") <= place("end"));
  }
  if (json.is_structured()) {
    for (const Json& item : json) {
      check_ranges(item);
    }
  }
}

std::string framed(std::string_view lines) {
  std::ostringstream out;
  epwise::lsp::write_frame(
      out,
      R"({"id":0,"method":"initialize","params":{"capabilities":{"textDocument":{"hover":)"
      R"({"contentFormat":["markdown"]},"codeAction":{"codeActionLiteralSupport":{}},)"
      R"("publishDiagnostics":{"relatedInformation":true}}}}})");
  constexpr int kMost = 12;  // messages; each may lint anew
  for (int i = 0; i < kMost && !lines.empty(); ++i) {
    const auto end = std::min(lines.find('\n'), lines.size());
    epwise::lsp::write_frame(out, lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return out.str();
}

/// Lines and columns of a document, some of them outside.
Json place(epwise::support::Choices& choices) {
  static constexpr std::array<std::int64_t, 8> kFar = {-1, 65535, 1 << 20, 0, 1, 2, 3, 2147483647};
  const auto number = [&choices](std::size_t most) {
    return choices.below(8) == 0 ? choices.of(kFar)
                                 : static_cast<std::int64_t>(choices.below(most));
  };
  return {{"line", number(16)}, {"character", number(40)}};
}

Json range(epwise::support::Choices& choices) {
  return {{"start", place(choices)}, {"end", place(choices)}};
}

Json made_message(epwise::support::Choices& choices, int number) {
  constexpr std::array<std::string_view, 4> kUris = {
      "file:///a.yaml", "file:///b.yaml", "file:///run.sh", "untitled:Untitled-1"};
  constexpr std::array<std::string_view, 6> kAsked = {"textDocument/hover",
                                                      "textDocument/completion",
                                                      "textDocument/codeAction",
                                                      "textDocument/diagnostic",
                                                      "textDocument/inlayHint",
                                                      "textDocument/definition"};
  const std::string uri(choices.of(kUris));
  Json about = {{"uri", uri}};
  switch (choices.below(8)) {
    case 0:
      about["version"] = number;
      about["languageId"] = "yaml";
      about["text"] = epwise::support::recipe_text(choices);
      return {{"method", "textDocument/didOpen"}, {"params", {{"textDocument", about}}}};
    case 1:
    case 2: {
      Json changes = Json::array();
      for (std::size_t count = choices.below(3); count > 0; --count) {
        Json change = {{"text",
                        choices.below(2) == 0 ? epwise::support::recipe_text(choices)
                                              : std::string(choices.of(epwise::support::kValues))}};
        if (choices.below(4) != 0) {
          change["range"] = range(choices);
        }
        changes.push_back(std::move(change));
      }
      about["version"] = number;
      return {{"method", "textDocument/didChange"},
              {"params", {{"textDocument", about}, {"contentChanges", changes}}}};
    }
    case 3:
      return {{"method", choices.below(2) == 0 ? "textDocument/didClose" : "textDocument/didSave"},
              {"params", {{"textDocument", about}}}};
    case 4:
      return {{"method", "$/cancelRequest"}, {"params", {{"id", choices.below(12)}}}};
    case 5:
      return {
          {"method", "workspace/didChangeConfiguration"},
          {"params",
           {{"settings",
             {{"epwise",
               {{"hw", choices.of(epwise::support::kValues)}, {"gpus", choices.below(70)}}}}}}}};
    default:
      return {{"id", number},
              {"method", choices.of(kAsked)},
              {"params",
               {{"textDocument", about},
                {"position", place(choices)},
                {"range", range(choices)},
                {"context", {{"diagnostics", Json::array()}}}}}};
  }
}

/// Messages on lines; texts are decoded leniently by nobody, so they are ASCII.
std::string made_session(epwise::support::Choices& choices) {
  const std::string first = epwise::support::recipe_text(choices);
  std::string lines = Json{{"method", "textDocument/didOpen"},
                           {"params",
                            {{"textDocument",
                              {{"uri", "file:///a.yaml"},
                               {"languageId", "yaml"},
                               {"version", 1},
                               {"text", first}}}}}}
                          .dump() +
                      "\n";
  for (int number = 2; number < 12 && !choices.done(); ++number) {
    lines += made_message(choices, number).dump() + "\n";
  }
  return lines;
}

}  // namespace

FUZZ_TARGET(editor) {
  if (size == 0) {
    return 0;
  }
  constexpr std::size_t kMost = 1U << 13U;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, std::min(size, kMost) - 1);
  epwise::support::Choices choices(data + 1, bytes.size());
  std::istringstream in(epwise::support::is_structured(data, size) ? framed(made_session(choices))
                        : data[0] == 'm'                           ? framed(bytes)
                                                                   : std::string(bytes));
  epwise::lsp::MessageQueue inbox;
  inbox.fill(in);
  std::ostringstream out;
  Desk desk;
  epwise::lsp::Server(desk, out, "0").serve(inbox);
  std::istringstream said(out.str());
  for (Frame frame = epwise::lsp::read_frame(said); frame.kind != Frame::Kind::end;
       frame = epwise::lsp::read_frame(said)) {
    require(frame.kind == Frame::Kind::message);
    check_ranges(Json::parse(frame.content));
  }
  return 0;
}
