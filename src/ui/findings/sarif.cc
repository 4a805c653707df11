#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "session/baseline.h"
#include "ui/findings/lint_report.h"
#include "ui/findings/ranking.h"
#include "ui/findings/rule_help.h"
#include "ui/findings/writer.h"
#include "ui/json.h"
#include "ui/place.h"

namespace epwise::report {
namespace {

constexpr const char* kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
constexpr const char* kRoot = "%SRCROOT%";

// Limits of GitHub's code scanning; it rejects or silently drops anything beyond.
constexpr std::size_t kMostResults = 25000;
constexpr std::size_t kMostLocations = 100;

std::string_view sarif_level(lint::Severity severity) {
  switch (severity) {
    case lint::Severity::error:
      return "error";
    case lint::Severity::warning:
      return "warning";
    case lint::Severity::note:
      break;
  }
  return "note";
}

std::string_view problem_severity(lint::Severity severity) {
  return severity == lint::Severity::note ? "recommendation" : sarif_level(severity);
}

Json text_v1(std::string_view text) {
  return {{"text", text}};
}

Json sarif_rule(const lint::Rule& rule) {
  Json json = {{"id", rule.id},
               {"name", rule.code},
               {"shortDescription", text_v1(rule.what)},
               {"fullDescription", text_v1(rule.why.empty() ? rule.what : rule.why)},
               {"help", {{"text", help_text(rule)}, {"markdown", help_markdown(rule)}}},
               {"defaultConfiguration", {{"level", sarif_level(rule.severity)}}}};
  if (!rule.prose->references.empty()) {
    json["helpUri"] = uri_of(rule.prose->references.front());
  }
  json["properties"] = {{"tags", tags_of(rule)},
                        {"precision", precision_of(rule)},
                        {"problem.severity", problem_severity(rule.severity)},
                        {"code", rule.code},
                        {"aliases", rule.aliases}};
  return json;
}

Json artifact_location(const std::string& uri) {
  Json json = {{"uri", uri}};
  if (uri.rfind("file:", 0) != 0) {
    json["uriBaseId"] = kRoot;
  }
  return json;
}

class SarifLog : public Writing {
 public:
  SarifLog(const LintReport& report, const Style& style) : Writing(report, style) {}

  void put(const LintedFile& file) override {
    for (const lint::Finding* finding : shown(file)) {
      add(rank(file, *finding), [&] { return fail(file, *finding); });
    }
    for (const lint::Accepted& accepted : file.result.accepted) {
      add(rank(file, accepted.finding), [&] {
        Json suppressed = fail(file, accepted.finding);
        suppressed["suppressions"] = Json::array(
            {{{"kind", accepted.mark.nowhere() ? "external" : "inSource"},
              {"status", "accepted"},
              {"justification", accepted.reason.empty() ? accepted.source : accepted.reason}}});
        return suppressed;
      });
    }
    const std::string path = file_path(file);
    if (is_real_file(path) && path != last_artifact_) {
      artifacts_.add(artifacts_.empty() ? "" : ",");
      artifacts_.add(json_line({{"location", artifact_location(uri(path))},
                                {"roles", Json::array({"analysisTarget"})}}));
      last_artifact_ = path;
    }
  }

  void finish(const Out& out) override {
    note_failures();
    std::vector<Ranking::Entry> results = results_.take();
    if (results.size() < count_) {
      note("warning",
           fmt::format("{} results of the lowest rank are omitted: code scanning accepts {}",
                       count_ - results.size(),
                       kMostResults));
    }
    std::ranges::sort(results, {}, &Ranking::Entry::sequence);
    Json run = {{"tool",
                 {{"driver",
                   {{"name", "epwise"},
                    {"version", report().tool_version},
                    {"semanticVersion", report().tool_version},
                    {"rules", std::move(rules_)}}}}},
                {"invocations", Json::array({invocation()})},
                {"originalUriBaseIds",
                 {{kRoot, {{"description", text_v1("Root of the repository with the recipes")}}}}},
                {"columnKind", "unicodeCodePoints"}};
    add_provenance(run);
    const std::string head = json_line(run);
    out(fmt::format("{{\"$schema\":\"{}\",\"version\":\"2.1.0\",\"runs\":[", kSchema));
    out(std::string_view(head).substr(0, head.size() - 1));
    out(",\"artifacts\":[");
    artifacts_.give(out);
    out("],\"results\":[");
    std::string_view between;
    for (const Ranking::Entry& result : results) {
      out(between);
      out(result.text);
      between = ",";
    }
    out("]}]}\n");
  }

 private:
  /// Most results of many files are discarded: they are only created if they are kept.
  template <typename Make>
  void add(int importance, const Make& make) {
    if (results_.takes(importance)) {
      results_.add(importance, count_, json_line(make()));
    }
    ++count_;
  }

  /// The position of a rule in the log's list, which holds the rules of its results.
  int index_of(const lint::Rule& rule) {
    const auto [at, added] = index_.emplace(rule.id, static_cast<int>(rules_.size()));
    if (added) {
      rules_.push_back(sarif_rule(rule));
    }
    return at->second;
  }

  std::string uri(const std::string& path) const { return repository_uri(report().checkout, path); }

  Json location(const LintedFile& file, const text::Mark& mark, std::string_view pointer) const {
    const Place place = place_in_file(file, mark);
    Json json = Json::object();
    if (is_real_file(place.path)) {
      Json region = {{"startLine", place.start.line}, {"startColumn", place.start.column}};
      if (place.positioned) {
        region["endLine"] = place.finish.line;
        region["endColumn"] = place.finish.column;
      }
      json["physicalLocation"] = {{"artifactLocation", artifact_location(uri(place.path))},
                                  {"region", std::move(region)}};
    }
    if (!pointer.empty()) {
      json["logicalLocations"] =
          Json::array({{{"fullyQualifiedName", pointer}, {"kind", "property"}}});
    }
    return json;
  }

  Json related(const LintedFile& file, const lint::Finding& finding) const {
    Json json = Json::array();
    for (const lint::Location& place : finding.related) {
      if (place.mark.nowhere() || json.size() == kMostLocations) {
        continue;
      }
      Json entry = location(file, place.mark, place.pointer);
      entry["id"] = json.size() + 1;
      entry["message"] = text_v1(place.label.empty() ? place.pointer : place.label);
      json.push_back(std::move(entry));
    }
    return json;
  }

  Json result(const lint::Rule& rule, std::string_view level, int rank) {
    Json json = {{"ruleId", rule.id}, {"ruleIndex", index_of(rule)}, {"kind", "fail"}};
    json["level"] = level;
    json["rank"] = rank;
    return json;
  }

  /// "#2" of a later document belongs to the finding's name, not to the file name.
  std::string document_uri(const LintedFile& file) const {
    const std::string path = file_path(file);
    const bool later = file.path.size() > path.size() && file.path.rfind(path, 0) == 0;
    return uri(path) + (later ? file.path.substr(path.size()) : std::string());
  }

  /// Fixes that edit the file, as replaced lines.
  Json fixes(const LintedFile& file, const lint::Finding& finding) const {
    Json json = Json::array();
    for (const lint::Fix& fix : finding.fixes) {
      Json replacements = Json::array();
      for (const lint::Fix::Patch& patch : fix.patches) {
        if (patch.mark.nowhere()) {
          continue;  // words of the command line
        }
        const text::Position start = patch.mark.start();
        const text::Position finish = patch.mark.finish();
        Json replacement = {{"deletedRegion",
                             {{"startLine", start.line},
                              {"startColumn", start.column},
                              {"endLine", finish.line},
                              {"endColumn", finish.column}}}};
        if (!patch.text.empty()) {
          replacement["insertedContent"] = text_v1(patch.text);
        }
        replacements.push_back(std::move(replacement));
      }
      if (replacements.empty() || !is_real_file(file_path(file))) {
        continue;
      }
      json.push_back(
          {{"description", text_v1(fmt::format("{} ({})", fix.title, lint::to_string(fix.tier)))},
           {"artifactChanges",
            Json::array({{{"artifactLocation", artifact_location(uri(file_path(file)))},
                          {"replacements", std::move(replacements)}}})}});
    }
    return json;
  }

  Json fail(const LintedFile& file, const lint::Finding& finding) {
    const int importance = rank(file, finding);
    Json json = result(*finding.rule, sarif_level(finding.severity), importance);
    json["message"] = text_v1(finding.message);
    json["locations"] =
        Json::array({location(file, finding.primary.mark, finding.primary.pointer)});
    if (Json others = related(file, finding); !others.empty()) {
      json["relatedLocations"] = std::move(others);
    }
    if (Json changes = fixes(file, finding); !changes.empty()) {
      json["fixes"] = std::move(changes);
    }
    const std::string name = document_uri(file);
    json["partialFingerprints"] = {
        {"primaryLocationLineHash", fingerprints_.of_line(name, finding)},
        {"epwise/v1", fingerprints_.of_finding(name, finding)}};
    return json;
  }

  void note(std::string_view level, const std::string& sentence) {
    notifications_.push_back({{"level", level}, {"message", text_v1(sentence)}});
  }

  void note_failures() {
    for (const std::string& failure : failures()) {
      note("error", failure);
    }
    successful_ = notifications_.empty();
    for (const std::string& shortfall : shortfalls(report(), sum())) {
      note("error", shortfall);
    }
    // Not as results: code scanning would raise an alert for each.
    if (sum().open > 0) {
      const std::string options = options_for(needs(sum()));
      note("note",
           fmt::format("{} skipped because values are unknown{}",
                       counted(sum().open, "check"),
                       options.empty() ? "" : "; pass " + options));
    }
  }

  Json invocation() {
    Json json = {{"executionSuccessful", successful_}, {"exitCode", report().exit_code}};
    if (!notifications_.empty()) {
      json["toolExecutionNotifications"] = std::move(notifications_);
    }
    return json;
  }

  void add_provenance(Json& run) const {
    const Checkout& checkout = report().checkout;
    if (checkout.uri.empty()) {
      return;
    }
    Json json = {{"repositoryUri", checkout.uri}};
    if (!checkout.revision.empty()) {
      json["revisionId"] = checkout.revision;
    }
    if (!checkout.branch.empty()) {
      json["branch"] = checkout.branch;
    }
    json["mappedTo"] = {{"uriBaseId", kRoot}};
    run["versionControlProvenance"] = Json::array({std::move(json)});
  }

  std::map<std::string_view, int> index_;
  Json rules_ = Json::array();
  Ranking results_{kMostResults};
  std::size_t count_ = 0;
  Spool artifacts_;
  std::string last_artifact_;
  session::Fingerprints fingerprints_;
  Json notifications_ = Json::array();
  bool successful_ = true;
};

}  // namespace

std::unique_ptr<Writing> start_sarif(const LintReport& report, const Style& style) {
  return std::make_unique<SarifLog>(report, style);
}

}  // namespace epwise::report
