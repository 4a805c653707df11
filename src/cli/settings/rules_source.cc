#include "cli/settings/rules_source.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "text/spelling.h"

namespace epwise::cli {

using world::UsageError;

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(
      result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// The rules that a name without its exact spelling can stand for: a code in small letters, the
/// start of codes as `--select` takes it, an id without its topic.
std::vector<const lint::Rule*> rules_meant(const lint::Knowledge& knowledge,
                                           const std::string& name) {
  const std::string wanted = lower(name);
  std::vector<const lint::Rule*> exact;
  std::vector<const lint::Rule*> below;
  for (const lint::Rule& rule : knowledge.rules) {
    const auto is_it = [&](std::string_view word) { return lower(word) == wanted; };
    if (is_it(rule.id) || is_it(rule.code) || is_it(rule.id.substr(rule.id.find('/') + 1)) ||
        std::ranges::any_of(rule.aliases, is_it)) {
      exact.push_back(&rule);
    } else if (!wanted.empty() && lower(rule.code).starts_with(wanted)) {
      below.push_back(&rule);
    }
  }
  return exact.empty() ? below : exact;
}

}  // namespace

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
    throw UsageError(fmt::format("`{}` fits {} rules: {}{} (`epwise rules list {}` names them)",
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
