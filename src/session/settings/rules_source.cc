#include "session/settings/rules_source.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/text/ascii.h"
#include "base/text/spelling.h"

namespace epwise::session {

using os::UsageError;

namespace {

/// The rules that an inexact name can refer to: a code in lower case, a prefix of codes as in
/// `--select`, an id without its topic.
std::vector<const lint::Rule*> rules_meant(const lint::Knowledge& knowledge,
                                           const std::string& name) {
  const std::string wanted = text::lower(name);
  std::vector<const lint::Rule*> exact;
  std::vector<const lint::Rule*> below;
  for (const lint::Rule& rule : knowledge.rules) {
    const auto is_it = [&](std::string_view word) { return text::lower(word) == wanted; };
    if (is_it(rule.id) || is_it(rule.code) || is_it(rule.id.substr(rule.id.find('/') + 1)) ||
        std::ranges::any_of(rule.aliases, is_it)) {
      exact.push_back(&rule);
    } else if (!wanted.empty() && text::lower(rule.code).starts_with(wanted)) {
      below.push_back(&rule);
    }
  }
  return exact.empty() ? below : exact;
}

}  // namespace

lint::Knowledge load_rules(const os::Files& files, const std::optional<Setting>& folder) {
  if (folder && !files.is_directory(folder->value)) {
    throw UsageError(fmt::format("{}: no rules directory at {}", folder->source, folder->value));
  }
  return lint::load_knowledge(&files, folder ? folder->value : "");
}

const std::shared_ptr<const lint::Knowledge>& compiled_rules() {
  static const auto& rules = *new std::shared_ptr<const lint::Knowledge>(
      std::make_shared<const lint::Knowledge>(lint::load_knowledge(nullptr, "")));
  return rules;
}

const lint::Rule& find_rule(const lint::Knowledge& knowledge, const std::string& name) {
  if (const lint::Rule* rule = knowledge.find(name)) {
    return *rule;
  }
  const std::vector<const lint::Rule*> meant = rules_meant(knowledge, name);
  if (meant.size() == 1) {
    return *meant.front();
  }
  if (!meant.empty() && name.find('/') == std::string::npos) {
    std::vector<std::string_view> codes;
    for (const lint::Rule* rule : meant) {
      codes.push_back(rule->code);
    }
    const std::string_view common = codes.front().substr(0, name.size());
    constexpr std::size_t kMostListed = 8;
    const bool more = codes.size() > kMostListed;
    codes.resize(std::min(codes.size(), kMostListed));
    throw UsageError(fmt::format("`{}` matches {} rules: {}{} (see `epwise rules list {}`)",
                                 name,
                                 meant.size(),
                                 fmt::join(codes, ", "),
                                 more ? ", ..." : "",
                                 common));
  }
  const auto below = std::ranges::count_if(knowledge.rules, [&](const lint::Rule& rule) {
    return rule.id.starts_with(name) && name.ends_with('/');
  });
  if (below > 0) {
    throw UsageError(fmt::format(
        "`{}` is a topic with {} rules: see `epwise rules list {}`", name, below, name));
  }
  throw UsageError(fmt::format(
      "unknown rule `{}`{} (see `epwise rules list`)", name, nearest_rules(knowledge, name)));
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

}  // namespace epwise::session
