#include "ui/findings/template.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <kainjow/mustache.hpp>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "recipe/framework.h"
#include "ui/columns.h"
#include "ui/findings/lint_report.h"
#include "ui/place.h"

namespace epwise::report {
namespace {

using Data = kainjow::mustache::data;
using kainjow::mustache::mustache;

/// The names available to a template; listed in README and `epwise gate -h`.
constexpr std::array<std::string_view, 36> kNames{
    "tool",      "version",  "exit_code", "errors",     "warnings",   "notes",
    "open",      "accepted", "files",     "findings",   "budgets",    "path",
    "framework", "target",   "verdict",   "starts",     "rejects",    "clean",
    "line",      "column",   "end_line",  "end_column", "severity",   "rule",
    "code",      "message",  "why",       "label",      "pointer",    "option",
    "limit",     "state",    "text",      "last",       "unreadable", "sentence"};

void set(Data& object, const std::string& name, const std::string& text) {
  object.set(name, Data(printable(text, true)));
}

void set(Data& object, const std::string& name, int number) {
  object.set(name, Data(std::to_string(number)));
}

void set_flag(Data& object, const std::string& name, bool flag) {
  object.set(name, Data(flag));
}

Data finding_data(const LintedFile& file, const lint::Finding& finding) {
  const Place place = place_of(file, finding.primary.mark);
  Data object(Data::type::object);
  set(object, "path", place.path);
  set(object, "line", place.start.line);
  set(object, "column", place.start.column);
  set(object, "end_line", place.finish.line);
  set(object, "end_column", place.finish.column);
  set(object, "severity", std::string(lint::to_string(finding.severity)));
  set(object, "rule", std::string(finding.rule->id));
  set(object, "code", std::string(finding.rule->code));
  set(object, "message", finding.message);
  set(object, "why", std::string(finding.rule->why));
  set(object, "label", finding.primary.label);
  set(object, "pointer", finding.primary.pointer);
  return object;
}

/// Mustache has no list separators: each item says whether it is the last.
Data list_data(std::vector<Data> items) {
  Data list(Data::type::list);
  for (std::size_t i = 0; i < items.size(); ++i) {
    set_flag(items[i], "last", i + 1 == items.size());
    list.push_back(items[i]);
  }
  return list;
}

std::string_view state_text(Budget::State state) {
  switch (state) {
    case Budget::State::kept:
      return "kept";
    case Budget::State::broken:
      return "broken";
    case Budget::State::undecided:
      break;
  }
  return "undecided";
}

class Templated : public Writing {
 public:
  Templated(const LintReport& report, const Style& style, const std::string& text)
      : Writing(report, style),
        template_(text),
        wants_files_(text.find("files") != std::string::npos) {}

  void put(const LintedFile& file) override {
    std::vector<Data> findings;
    for (const lint::Finding* finding : shown(file)) {
      findings.push_back(finding_data(file, *finding));
    }
    if (wants_files_) {
      const lint::Verdict verdict = file.result.launch.verdict;
      Data object(Data::type::object);
      set(object, "path", file.path);
      set(object,
          "framework",
          file.recipe == nullptr ? "" : std::string(recipe::to_string(file.recipe->framework)));
      set(object, "target", file.target);
      set(object, "verdict", verdict_text(file));
      set_flag(object, "starts", is_readable(file) && verdict == lint::Verdict::starts);
      set_flag(object, "rejects", verdict == lint::Verdict::rejects);
      set_flag(object, "clean", findings.empty());
      object.set("findings", list_data(findings));
      files_.push_back(std::move(object));
    }
    std::move(findings.begin(), findings.end(), std::back_inserter(findings_));
  }

  void finish(const Out& out) override {
    Data all(Data::type::object);
    set(all, "tool", "epwise");
    set(all, "version", report().tool_version);
    set(all, "exit_code", report().exit_code);
    set(all, "errors", sum().errors);
    set(all, "warnings", sum().warnings);
    set(all, "notes", sum().notes);
    set(all, "open", sum().open);
    set(all, "accepted", sum().accepted);
    set_flag(all, "clean", findings_.empty());
    all.set("files", list_data(std::move(files_)));
    all.set("findings", list_data(std::move(findings_)));
    std::vector<Data> budgets;
    for (const Budget& budget : report().budgets) {
      Data object(Data::type::object);
      set(object, "path", budget.path);
      set(object, "option", budget.option);
      set(object, "limit", budget.limit);
      set(object, "state", std::string(state_text(budget.state)));
      set(object, "text", budget_text(budget));
      budgets.push_back(std::move(object));
    }
    all.set("budgets", list_data(std::move(budgets)));
    std::vector<Data> unreadable;
    for (const std::string& sentence : failures()) {
      Data object(Data::type::object);
      set(object, "sentence", sentence);
      unreadable.push_back(std::move(object));
    }
    all.set("unreadable", list_data(std::move(unreadable)));
    template_.render(all, [&out](const std::string& part) { out(part); });
  }

 private:
  mustache template_;
  bool wants_files_;
  std::vector<Data> files_;
  std::vector<Data> findings_;
};

/// "{{#files}}" → "files"; empty for comments and delimiter changes.
std::string name_in(std::string_view tag) {
  constexpr std::string_view kBlanks = " \t\n";
  if (tag.starts_with('!') || tag.starts_with('=')) {
    return {};
  }
  const std::size_t begin = tag.find_first_not_of("#^/&{ \t\n");
  if (begin == std::string_view::npos) {
    return {};
  }
  const std::size_t end = tag.find_first_of(kBlanks, begin);
  return std::string(tag.substr(begin, end == std::string_view::npos ? end : end - begin));
}

}  // namespace

std::span<const std::string_view> template_names() {
  return kNames;
}

std::string template_problem(const std::string& text) {
  const mustache parsed(text);
  return parsed.is_valid() ? "" : parsed.error_message();
}

std::vector<std::string> unknown_template_names(std::string_view text) {
  std::set<std::string> unknown;
  for (std::size_t at = text.find("{{"); at != std::string_view::npos; at = text.find("{{", at)) {
    at += 2;
    const std::size_t end = std::min(text.find("}}", at), text.size());
    const std::string name = name_in(text.substr(at, end - at));
    if (!name.empty() && name != "." &&
        std::find(kNames.begin(), kNames.end(), name) == kNames.end()) {
      unknown.insert(name);
    }
  }
  return {unknown.begin(), unknown.end()};
}

std::unique_ptr<Writing> start_template(const LintReport& report,
                                        const Style& style,
                                        const std::string& text) {
  return std::make_unique<Templated>(report, style, text);
}

}  // namespace epwise::report
