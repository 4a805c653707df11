#include "cli/rules_source.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "text/spelling.h"

namespace epwise::cli {

using world::UsageError;

Option rules_option() {
  return {.name = "--rules",
          .arity = Option::Arity::one,
          .value = "DIR",
          .summary = "further rules; one with a known id replaces it",
          .variable = "EPWISE_RULES",
          .completion = Completion::directories};
}

lint::Knowledge load_rules(const Session& session, const std::optional<Setting>& folder) {
  if (folder && !session.files.is_directory(folder->value)) {
    throw UsageError(fmt::format("{}: no folder of rules at {}", folder->source, folder->value));
  }
  return lint::load_knowledge(&session.files, folder ? folder->value : "");
}

const lint::Rule& find_rule(const lint::Knowledge& knowledge, const std::string& name) {
  if (const lint::Rule* rule = knowledge.find(name)) {
    return *rule;
  }
  const auto below = std::ranges::count_if(knowledge.rules, [&](const lint::Rule& rule) {
    return rule.id.starts_with(name) && name.ends_with('/');
  });
  if (below > 0) {
    throw UsageError(fmt::format(
        "`{}` is a topic of {} rules: `epwise rules list {}` names them", name, below, name));
  }
  throw UsageError(fmt::format(
      "no rule `{}`{} (`epwise rules list` names them)", name, nearest_rules(knowledge, name)));
}

std::string nearest_rules(const lint::Knowledge& knowledge, const std::string& name) {
  std::vector<std::string_view> names;
  for (const lint::Rule& rule : knowledge.rules) {
    names.push_back(rule.id);
    names.push_back(rule.code);
    names.insert(names.end(), rule.aliases.begin(), rule.aliases.end());
    const std::string_view topic = rule.id.substr(0, rule.id.find('/') + 1);
    if (std::ranges::find(names, topic) == names.end()) {
      names.push_back(topic);
    }
  }
  return text::did_you_mean(name, names);
}

}  // namespace epwise::cli
