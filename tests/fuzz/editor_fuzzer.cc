/// The language server on any bytes. The first byte chooses: a stream as it comes over standard
/// input ('r'), or messages on lines, behind an initialize ('m'). What must hold: the conversation
/// ends, everything that is said is framed JSON, and every range that is named begins before it
/// ends.
#include <algorithm>
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

}  // namespace

FUZZ_TARGET(editor) {
  if (size == 0) {
    return 0;
  }
  constexpr std::size_t kMost = 1U << 13U;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, std::min(size, kMost) - 1);
  std::istringstream in(data[0] == 'm' ? framed(bytes) : std::string(bytes));
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
