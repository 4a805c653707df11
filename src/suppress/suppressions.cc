#include "suppress/suppressions.h"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lint/rule.h"
#include "suppress/comment.h"
#include "suppress/condition.h"
#include "yaml/parse.h"

namespace epwise::suppress {

namespace {

using text::Mark;

bool is_script(const recipe::Recipe& recipe, const text::SourceFile& file) {
  const auto launcher = recipe.raw.find("raw.launcher");
  return launcher != recipe.raw.end() && launcher->second.to_text() == "shell" &&
         !file.name().ends_with(".yaml") && !file.name().ends_with(".yml");
}

/// The findings of a result that comments have not accepted yet, by rule and place: a comment takes
/// time for what it accepts, however many there are of both.
class Unaccepted {
 public:
  explicit Unaccepted(const std::vector<lint::Finding>& findings) : taken(findings.size()) {
    for (std::size_t i = 0; i < findings.size(); ++i) {
      const lint::Finding& finding = findings[i];
      const auto add = [&](const Mark& mark) {
        places_.emplace(Place{finding.rule, mark.file, mark.begin}, i);
      };
      add(finding.primary.mark);
      for (const lint::Location& related : finding.related) {
        add(related.mark);
      }
    }
  }

  /// Takes the findings of a rule anywhere or, with a scope, those with a location in it; in order.
  std::vector<std::size_t> take(const lint::Rule* rule, const std::optional<Mark>& scope) {
    const Place from = scope ? Place{rule, scope->file, scope->begin} : Place{rule, nullptr, 0};
    const auto is_within = [&](const Place& place) {
      return place.rule == rule &&
             (!scope || (place.file == scope->file && place.begin < scope->end));
    };
    std::vector<std::size_t> found;
    auto at = places_.lower_bound(from);
    while (at != places_.end() && is_within(at->first)) {
      if (!taken[at->second]) {
        taken[at->second] = true;
        found.push_back(at->second);
      }
      at = places_.erase(at);
    }
    return found;
  }

  std::vector<bool> taken;

 private:
  struct Place {
    const lint::Rule* rule = nullptr;
    const text::SourceFile* file = nullptr;
    std::uint32_t begin = 0;

    auto operator<=>(const Place&) const = default;
  };

  std::multimap<Place, std::size_t> places_;
};

lint::Finding finding_at(const lint::Rule& rule, const Mark& mark, std::string message) {
  lint::Finding finding;
  finding.rule = &rule;
  finding.severity = rule.severity;
  finding.message = std::move(message);
  finding.primary.mark = mark;
  return finding;
}

/// Adds the rules that a result leaves undecided, and those that fail without a finding of their own.
void note_open_rules(const lint::Result& result, std::set<const lint::Rule*>& rules) {
  for (const lint::Open& open : result.open) {
    rules.insert(open.rule);
  }
  for (const lint::Explained& explained : result.explained) {
    rules.insert(explained.rule);
  }
  rules.insert(result.waiting.begin(), result.waiting.end());
}

/// Inserts findings, rising by place within a file, each before the first one of its file that is
/// further down.
void insert_by_place(std::vector<lint::Finding> added, std::vector<lint::Finding>& findings) {
  std::map<const text::SourceFile*, std::vector<std::size_t>> waiting;  // the next one last
  for (std::size_t i = added.size(); i > 0; --i) {
    waiting[added[i - 1].primary.mark.file].push_back(i - 1);
  }
  std::vector<lint::Finding> all;
  for (lint::Finding& finding : findings) {
    const Mark& mark = finding.primary.mark;
    const auto here = waiting.find(mark.file);
    while (here != waiting.end() && !here->second.empty() &&
           added[here->second.back()].primary.mark.begin < mark.begin) {
      all.push_back(std::move(added[here->second.back()]));
      here->second.pop_back();
    }
    all.push_back(std::move(finding));
  }
  std::vector<std::size_t> rest;
  for (const auto& [file, numbers] : waiting) {
    rest.insert(rest.end(), numbers.begin(), numbers.end());
  }
  std::ranges::sort(rest);
  for (const std::size_t number : rest) {
    all.push_back(std::move(added[number]));
  }
  findings = std::move(all);
}

/// The range to delete when the comment is removed: its bytes, and the line if nothing else is left
/// on it.
Mark cut_of(const Mark& comment) {
  const std::string_view bytes = comment.file->bytes();
  Mark cut = comment;
  while (cut.begin > 0 && (bytes[cut.begin - 1] == ' ' || bytes[cut.begin - 1] == '\t')) {
    --cut.begin;
  }
  const bool alone = cut.begin == 0 || bytes[cut.begin - 1] == '\n' || bytes[cut.begin - 1] == '\r';
  const bool ends = cut.end < bytes.size() && (bytes[cut.end] == '\n' || bytes[cut.end] == '\r');
  if (alone && ends) {
    cut.end += bytes.substr(cut.end).starts_with("\r\n") ? 2U : 1U;
  }
  return cut;
}

/// The fix of a comment with rules that nothing violates: the others stay, with the reason.
lint::Fix without(const std::vector<std::string>& unused,
                  const Comment& comment,
                  const Mark& mark) {
  lint::Fix fix{"Remove the comment", lint::Tier::neutral, {}, {{cut_of(mark), ""}}};
  if (unused.size() < comment.rules.size()) {
    std::vector<std::string> kept;
    std::ranges::copy_if(comment.rules, std::back_inserter(kept), [&](const std::string& name) {
      return std::ranges::find(unused, name) == unused.end();
    });
    const std::string_view text = mark.file->bytes().substr(mark.begin, mark.end - mark.begin);
    const auto open = static_cast<std::uint32_t>(text.find('[') + 1);
    const auto close = static_cast<std::uint32_t>(text.find(']'));
    fix.title = fmt::format("Remove {} from the comment", fmt::join(unused, " and "));
    fix.patches = {{{mark.file, mark.begin + open, mark.begin + close},
                    fmt::format("{}", fmt::join(kept, ", "))}};
  }
  return fix;
}

}  // namespace

const lint::Rule* Suppressions::rule_named(const std::string& name,
                                           const lint::Knowledge& knowledge) {
  const auto [known, is_new] = rules_.try_emplace(name, nullptr);
  if (is_new) {
    known->second = knowledge.find(name);
  }
  return known->second;
}

void Suppressions::judge(Seen& seen, const Circumstances& circumstances) {
  const Comment& comment = seen.comment;
  seen.problem = comment.problem;
  for (const std::string& name : comment.rules) {
    const lint::Rule* rule = rule_named(name, circumstances.knowledge);
    if (rule == nullptr && seen.problem.empty()) {
      seen.problem = fmt::format("unknown rule `{}`; see `epwise rules list`", name);
    }
    seen.named.push_back(rule);
    seen.rules.insert(rule);
  }
  if (!comment.condition.empty() && seen.problem.empty()) {
    const Condition condition = parse_condition(comment.condition, seen.problem);
    std::vector<std::string> needs;
    const auto now = seen.problem.empty() ? holds(condition, circumstances.target, needs)
                                          : std::optional<bool>(false);
    if (seen.problem.empty() && !now) {
      seen.undecided = fmt::format("{}", fmt::join(needs, " and "));
    } else if (seen.problem.empty() && !*now) {
      seen.lapsed = fmt::format("`{}` does not hold on this target", comment.condition);
    }
  }
  if (!comment.until.empty() && seen.problem.empty() && circumstances.today > comment.until) {
    seen.lapsed = fmt::format("it was valid until {}", comment.until);
  }
}

const std::vector<Suppressions::Placed>& Suppressions::placed_comments(
    const recipe::Recipe& recipe, const std::shared_ptr<const text::SourceFile>& file) {
  const auto [known, is_new] = placed_.try_emplace(file);
  std::vector<Placed>& placed = known->second;
  if (is_new && has_comments(*file)) {
    const bool script = is_script(recipe, *file);
    const yaml::Stream stream = script ? yaml::Stream() : yaml::parse(*file);
    const Scopes scopes = script ? Scopes::in_script(*file) : Scopes::in_yaml(stream.documents);
    for (Comment& comment : comments_of(*file, scalars_of(stream.documents))) {
      auto scope = scopes.of(comment);
      placed.push_back({std::move(comment), scope});
    }
  }
  return placed;
}

namespace {

/// Moves the findings of these rules that a comment covers to those that the user accepts.
std::set<const lint::Rule*> accept_by(const Comment& comment,
                                      const std::optional<Mark>& scope,
                                      const std::set<const lint::Rule*>& rules,
                                      Unaccepted& unaccepted,
                                      lint::Result& result) {
  std::vector<std::size_t> accepted;
  for (const lint::Rule* rule : rules) {
    const auto more = unaccepted.take(rule, scope);
    accepted.insert(accepted.end(), more.begin(), more.end());
  }
  std::ranges::sort(accepted);
  std::set<const lint::Rule*> used;
  for (const std::size_t number : accepted) {
    lint::Finding& finding = result.findings[number];
    used.insert(finding.rule);
    result.accepted.push_back(
        {std::move(finding),
         comment.reason,
         comment.mark,
         fmt::format("{}:{}", comment.mark.file->name(), comment.mark.start().line),
         comment.until});
  }
  return used;
}

}  // namespace

void Suppressions::accept(const recipe::Recipe& recipe,
                          const Circumstances& circumstances,
                          lint::Result& result) {
  if (!recipe.readable) {
    return;  // unreadable text cannot be accepted
  }
  Unaccepted unaccepted(result.findings);
  for (const auto& file : recipe.files) {
    const std::vector<Placed>& comments = placed_comments(recipe, file);
    if (!comments.empty()) {
      note_open_rules(result, open_[file->name()]);
    }
    for (const auto& [comment, scope] : comments) {
      Seen& seen = seen_[Key(file->name(), comment.mark.begin)];
      if (seen.comment.mark.nowhere()) {
        seen.comment = comment;
        judge(seen, circumstances);
      }
      const bool counts = seen.problem.empty() && seen.lapsed.empty() && seen.undecided.empty();
      if (counts && (comment.whole_file || scope)) {
        seen.used.merge(accept_by(
            comment, comment.whole_file ? std::nullopt : scope, seen.rules, unaccepted, result));
      }
    }
  }
  std::size_t number = 0;
  std::erase_if(result.findings, [&](const lint::Finding&) { return unaccepted.taken[number++]; });
}

std::vector<std::string> Suppressions::unused_names(const Seen& seen,
                                                    const lint::Selection& selection) const {
  const auto open = open_.find(seen.comment.mark.file->name());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < seen.named.size(); ++i) {
    const lint::Rule* rule = seen.named[i];
    const bool decided = rule != nullptr && selection.takes(*rule) && !lint::is_priced(*rule) &&
                         (open == open_.end() || !open->second.contains(rule));
    if (decided && !seen.used.contains(rule)) {
      names.push_back(seen.comment.rules[i]);
    }
  }
  return names;
}

namespace {

/// The result whose recipe contains a file, and that file there.
struct Home {
  lint::Result* result = nullptr;
  const text::SourceFile* file = nullptr;
};

std::map<std::string, Home> homes_of(
    const std::vector<std::pair<const recipe::Recipe*, lint::Result*>>& results) {
  std::map<std::string, Home> homes;
  for (const auto& [recipe, result] : results) {
    for (const auto& file : recipe->files) {
      homes.try_emplace(file->name(), Home{result, file.get()});
    }
  }
  return homes;
}

}  // namespace

void Suppressions::report(
    const lint::Selection& selection,
    const lint::Knowledge& knowledge,
    const std::vector<std::pair<const recipe::Recipe*, lint::Result*>>& results) const {
  const std::map<std::string, Home> homes = homes_of(results);
  std::map<lint::Result*, std::vector<lint::Finding>> added;
  const auto add = [&](std::string_view id,
                       const Comment& comment,
                       std::string message,
                       const std::vector<std::string>& unused = {}) {
    const lint::Rule* rule = knowledge.find(id);
    const auto home = homes.find(comment.mark.file->name());
    if (rule == nullptr || home == homes.end() || !selection.takes(*rule)) {
      return;
    }
    const Mark mark{home->second.file, comment.mark.begin, comment.mark.end};
    lint::Finding finding = finding_at(*rule, mark, std::move(message));
    if (!unused.empty()) {
      finding.fixes.push_back(without(unused, comment, mark));
    }
    added[home->second.result].push_back(std::move(finding));
  };
  for (const auto& [key, seen] : seen_) {
    const std::vector<std::string> unused = unused_names(seen, selection);
    if (!seen.problem.empty()) {
      add("suppression/malformed", seen.comment, "this comment accepts nothing: " + seen.problem);
    } else if (!seen.lapsed.empty()) {
      add("suppression/lapsed", seen.comment, "this comment has expired: " + seen.lapsed);
    } else if (!seen.undecided.empty()) {
      add("suppression/undecided",
          seen.comment,
          fmt::format("this comment accepts nothing while {} is unknown", seen.undecided));
    } else if (!unused.empty()) {
      add("suppression/unused",
          seen.comment,
          fmt::format("nothing here violates {}", fmt::join(unused, " or ")),
          unused);
    }
  }
  for (auto& [result, findings] : added) {
    insert_by_place(std::move(findings), result->findings);
  }
}

}  // namespace epwise::suppress
