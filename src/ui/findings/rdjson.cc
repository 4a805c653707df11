#include "ui/findings/lint_report.h"
#include "ui/findings/rule_help.h"
#include "ui/findings/writer.h"
#include "ui/json.h"
#include "ui/place.h"

namespace epwise::report {
namespace {

std::string_view rdjson_severity(lint::Severity severity) {
  switch (severity) {
    case lint::Severity::error:
      return "ERROR";
    case lint::Severity::warning:
      return "WARNING";
    case lint::Severity::note:
      break;
  }
  return "INFO";
}

/// reviewdog counts columns in bytes of UTF-8.
Json position(const text::Mark& mark, std::uint32_t at) {
  const text::SourceFile& file = *mark.file;
  const int line = file.position(at).line;
  return {{"line", line}, {"column", at - file.line_offset(line) + 1}};
}

Json range(const text::Mark& mark) {
  return {{"start", position(mark, mark.begin)}, {"end", position(mark, mark.end)}};
}

/// One suggestion replaces one stretch of the file.
Json suggestions(const LintedFile& file, const lint::Finding& finding) {
  Json all = Json::array();
  for (const lint::Fix& fix : finding.fixes) {
    if (fix.patches.size() == 1 && !fix.patches.front().mark.nowhere() &&
        fix.patches.front().mark.file == file.recipe->files.front().get()) {
      all.push_back(
          {{"range", range(fix.patches.front().mark)}, {"text", fix.patches.front().text}});
    }
  }
  return all;
}

Json diagnostic(const LintReport& report, const LintedFile& file, const lint::Finding& finding) {
  const text::Mark& mark = finding.primary.mark;
  const bool placed = !mark.nowhere() && is_real_file(mark.file->name());
  Json where = {
      {"path", repository_path(report.checkout, placed ? mark.file->name() : file_path(file))}};
  if (placed) {
    where["range"] = range(mark);
  }
  Json json = {{"message", finding.message},
               {"location", std::move(where)},
               {"severity", rdjson_severity(finding.severity)},
               {"code", {{"value", finding.rule->id}}}};
  if (!finding.rule->prose->references.empty()) {
    json["code"]["url"] = uri_of(finding.rule->prose->references.front());
  }
  if (Json changes = suggestions(file, finding); !changes.empty()) {
    json["suggestions"] = std::move(changes);
  }
  return json;
}

class Rdjson : public Writing {
 public:
  using Writing::Writing;

  void put(const LintedFile& file) override {
    for (const lint::Finding* finding : shown(file)) {
      diagnostics_.add(diagnostic(report(), file, *finding));
    }
  }

  void finish(const Out& out) override {
    for (const Budget& budget : report().budgets) {
      if (budget.state == Budget::State::broken) {
        diagnostics_.add({{"message", budget_text(budget)},
                          {"location", {{"path", repository_path(report().checkout, budget.path)}}},
                          {"severity", "ERROR"},
                          {"code", {{"value", "budget"}}}});
      }
    }
    out("{\"source\":{\"name\":\"epwise\"},\n\"diagnostics\":");
    diagnostics_.give(out);
    out("}\n");
  }

 private:
  JsonRows diagnostics_;
};

}  // namespace

std::unique_ptr<Writing> start_rdjson(const LintReport& report, const Style& style) {
  return std::make_unique<Rdjson>(report, style);
}

}  // namespace epwise::report
