#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/fingerprint.h"
#include "report/formats.h"
#include "report/place.h"
#include "report/reference.h"
#include "report/rule_help.h"
#include "report/tally.h"
#include "report/uri.h"

namespace epwise::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
constexpr const char* kRoot = "%SRCROOT%";

// What GitHub's code scanning takes; it rejects or silently drops what is beyond.
constexpr std::size_t kMostResults = 25000;
constexpr std::size_t kMostLocations = 100;

std::string_view level_of(lint::Severity severity) {
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
  return severity == lint::Severity::note ? "recommendation" : level_of(severity);
}

Json text_v1(std::string_view text) {
  return {{"text", text}};
}

Json rule_json(const lint::Rule& rule) {
  Json json = {{"id", rule.id},
               {"name", rule.code},
               {"shortDescription", text_v1(rule.what)},
               {"fullDescription", text_v1(rule.why.empty() ? rule.what : rule.why)},
               {"help", {{"text", help_text(rule)}, {"markdown", help_markdown(rule)}}},
               {"defaultConfiguration", {{"level", level_of(rule.severity)}}}};
  if (!rule.references.empty()) {
    json["helpUri"] = uri_of(rule.references.front());
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

struct RankedResult {
  int rank = 0;
  Json json;
};

class SarifLog {
 public:
  explicit SarifLog(const LintReport& report) : report_(report) {}

  Json write() {
    Json rules = list_rules();
    for (const LintedFile& file : report_.files) {
      for (const lint::Finding* finding : shown(file)) {
        results_.push_back(fail(file, *finding));
      }
      for (const lint::Accepted& accepted : file.result.accepted) {
        RankedResult suppressed = fail(file, accepted.finding);
        suppressed.json["suppressions"] = Json::array(
            {{{"kind", accepted.mark.nowhere() ? "external" : "inSource"},
              {"status", "accepted"},
              {"justification", accepted.reason.empty() ? accepted.source : accepted.reason}}});
        results_.push_back(std::move(suppressed));
      }
      for (const lint::Open& open : file.result.open) {
        results_.push_back(undecided(file, open));
      }
    }
    note_failures();
    keep_the_most_important();
    Json results = Json::array();
    for (RankedResult& result : results_) {
      results.push_back(std::move(result.json));
    }
    Json run = {
        {"tool",
         {{"driver",
           {{"name", "epwise"},
            {"version", report_.tool_version},
            {"semanticVersion", report_.tool_version},
            {"rules", std::move(rules)}}}}},
        {"invocations", Json::array({invocation()})},
        {"originalUriBaseIds",
         {{kRoot, {{"description", text_v1("Root of the repository that holds the recipes")}}}}},
        {"artifacts", artifacts()},
        {"columnKind", "unicodeCodePoints"},
        {"results", std::move(results)}};
    add_provenance(run);
    return {{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", Json::array({std::move(run)})}};
  }

 private:
  /// Every rule that ran, so that a reader can tell "passed" from "not checked".
  Json list_rules() {
    Json rules = Json::array();
    if (report_.knowledge == nullptr) {
      return rules;
    }
    for (const lint::Rule& rule : report_.knowledge->rules) {
      if (report_.selection.takes(rule)) {
        index_[rule.id] = static_cast<int>(rules.size());
        rules.push_back(rule_json(rule));
      }
    }
    return rules;
  }

  std::string uri(const std::string& path) const { return repository_uri(report_.checkout, path); }

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

  Json result(const lint::Rule& rule,
              std::string_view kind,
              std::string_view level,
              int rank) const {
    Json json = {{"ruleId", rule.id}};
    if (const auto at = index_.find(rule.id); at != index_.end()) {
      json["ruleIndex"] = at->second;
    }
    json["kind"] = kind;
    json["level"] = level;
    json["rank"] = rank;
    return json;
  }

  /// "#2" of a later document belongs to the finding's name, not to the file's.
  std::string document_uri(const LintedFile& file) const {
    const std::string path = file_path(file);
    const bool later = file.path.size() > path.size() && file.path.rfind(path, 0) == 0;
    return uri(path) + (later ? file.path.substr(path.size()) : std::string());
  }

  /// Fixes that edit the file, as the lines that give way to others.
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

  RankedResult fail(const LintedFile& file, const lint::Finding& finding) {
    const int importance = rank(file, finding);
    Json json = result(*finding.rule, "fail", level_of(finding.severity), importance);
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
    return {.rank = importance, .json = std::move(json)};
  }

  RankedResult undecided(const LintedFile& file, const lint::Open& open) const {
    Json json = result(*open.rule, "open", "none", 0);
    json["message"] =
        text_v1(fmt::format("Undecided: {}. Needs {}.", open.rule->what, listed(open.needs)));
    json["locations"] = Json::array({location(file, {}, {})});
    return {.rank = 0, .json = std::move(json)};
  }

  void note(std::string_view level, const std::string& sentence) {
    notifications_.push_back({{"level", level}, {"message", text_v1(sentence)}});
  }

  void note_failures() {
    for (const std::string& failure : failures(report_)) {
      note("error", failure);
    }
    successful_ = notifications_.empty();
  }

  void keep_the_most_important() {
    if (results_.size() <= kMostResults) {
      return;
    }
    std::vector<int> ranks;
    for (const RankedResult& result : results_) {
      ranks.push_back(result.rank);
    }
    std::sort(ranks.begin(), ranks.end(), std::greater<>());
    const int least = ranks[kMostResults];
    auto ties = kMostResults - static_cast<std::size_t>(std::count_if(
                                   ranks.begin(), ranks.end(), [&](int r) { return r > least; }));
    const std::size_t before = results_.size();
    std::erase_if(results_, [&](const RankedResult& result) {
      if (result.rank != least) {
        return result.rank < least;
      }
      if (ties == 0) {
        return true;
      }
      --ties;
      return false;
    });
    note("warning",
         fmt::format("{} results of the lowest rank are left out: code scanning takes {}",
                     before - results_.size(),
                     kMostResults));
  }

  Json invocation() {
    Json json = {{"executionSuccessful", successful_}, {"exitCode", report_.exit_code}};
    if (!notifications_.empty()) {
      json["toolExecutionNotifications"] = std::move(notifications_);
    }
    return json;
  }

  Json artifacts() const {
    Json json = Json::array();
    std::map<std::string, bool> seen;
    for (const LintedFile& file : report_.files) {
      const std::string path = file_path(file);
      if (is_real_file(path) && seen.emplace(path, true).second) {
        json.push_back({{"location", artifact_location(uri(path))},
                        {"roles", Json::array({"analysisTarget"})}});
      }
    }
    return json;
  }

  void add_provenance(Json& run) const {
    const Checkout& checkout = report_.checkout;
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

  const LintReport& report_;
  std::map<std::string_view, int> index_;
  std::vector<RankedResult> results_;
  Fingerprints fingerprints_;
  Json notifications_ = Json::array();
  bool successful_ = true;
};

}  // namespace

std::string write_sarif(const LintReport& report, const Style& /*style*/) {
  return SarifLog(report).write().dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace epwise::report
