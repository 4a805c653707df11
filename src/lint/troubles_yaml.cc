#include "lint/troubles_yaml.h"

#include <set>
#include <string>

#include "yaml/reader.h"

namespace epwise::lint {

namespace {

constexpr const char* kInvalid = "rules/invalid";

TroubleHint read_hint(const yaml::Node& node, Reading& reading) {
  yaml::MapReader in(node, "a hint", reading.problems, kInvalid);
  TroubleHint hint;
  hint.log = reading.kept(in.texts("log"));
  hint.says = reading.texts.keep(in.required_text("says"));
  in.finish();
  return hint;
}

Trouble read_trouble(const yaml::Node& node, Reading& reading) {
  yaml::MapReader in(node, "a trouble", reading.problems, kInvalid);
  Trouble trouble;
  trouble.name = reading.texts.keep(in.required_text("name"));
  trouble.what = reading.texts.keep(in.required_text("what"));
  trouble.log = reading.kept(in.texts("log"));
  trouble.why = reading.texts.keep(in.required_text("why"));
  if (const auto* hints = in.sequence("hints")) {
    for (const auto& hint : hints->items) {
      trouble.hints.push_back(read_hint(hint, reading));
    }
  }
  trouble.fields = reading.kept(in.texts("fields"));
  trouble.rules = reading.kept(in.texts("rules"));
  trouble.first = reading.kept(in.texts("first"));
  trouble.from = reading.kept(in.texts("from"));
  in.finish();
  if (trouble.log.empty() || trouble.first.empty()) {
    in.problem(node.mark, "a trouble needs `log` (its words) and `first` (what to try)");
  }
  for (const auto field : trouble.fields) {
    if (!reading.scope.type_of(field)) {
      in.problem(node.mark, "`" + std::string(field) + "` is no name that a rule can read");
    } else {
      reading.names.slot(field);
    }
  }
  return trouble;
}

}  // namespace

void read_troubles(const yaml::Node& root, Tables& tables, Reading& reading) {
  const auto* list = root.find("troubles");
  if (list == nullptr || !list->is_sequence()) {
    reading.problems.push_back({kInvalid, root.mark, "`troubles:` with a list is expected"});
    return;
  }
  for (const auto& item : list->items) {
    tables.troubles.push_back(read_trouble(item, reading));
  }
}

void check_troubles(const Knowledge& knowledge, std::vector<text::Diagnostic>& problems) {
  std::set<std::string_view> words;
  const auto complain = [&](const Trouble& trouble, const std::string& what) {
    problems.push_back(
        {kInvalid, {}, "rules/tables/troubles.yaml: " + std::string(trouble.name) + ": " + what});
  };
  for (const auto& trouble : knowledge.tables.troubles) {
    for (const auto id : trouble.rules) {
      const auto* rule = knowledge.find(id);
      if (rule == nullptr || rule->id != id) {
        complain(trouble, "there is no rule `" + std::string(id) + "`");
      }
    }
    for (const auto log : trouble.log) {
      if (!words.insert(log).second) {
        complain(trouble, "`" + std::string(log) + "` tells another trouble already");
      }
    }
  }
}

}  // namespace epwise::lint
