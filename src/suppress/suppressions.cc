#include "suppress/suppressions.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lint/rule.h"
#include "suppress/comment.h"
#include "suppress/condition.h"
#include "yaml/parse.h"

namespace epwise::suppress {

namespace {

using text::Mark;

/// A comment with what it covers.
struct Placed {
  Comment comment;
  std::optional<Mark> scope;
};

bool is_script(const recipe::Recipe& recipe, const text::SourceFile& file) {
  const auto launcher = recipe.raw.find("raw.launcher");
  return launcher != recipe.raw.end() && launcher->second.to_text() == "shell" &&
         !file.name().ends_with(".yaml") && !file.name().ends_with(".yml");
}

std::vector<Placed> placed_comments(const recipe::Recipe& recipe, const text::SourceFile& file) {
  std::vector<Placed> placed;
  if (!has_comments(file)) {
    return placed;
  }
  const bool script = is_script(recipe, file);
  const yaml::Stream stream = script ? yaml::Stream() : yaml::parse(file);
  for (Comment& comment : comments_of(file, scalars_of(stream.documents))) {
    auto scope = script ? scope_in_script(comment) : scope_of(comment, stream.documents);
    placed.push_back({std::move(comment), scope});
  }
  return placed;
}

bool lies_in(const Mark& mark, const Mark& scope) {
  return mark.file == scope.file && mark.begin < scope.end && scope.begin <= mark.begin;
}

bool covers(const Placed& placed, const lint::Finding& finding) {
  if (placed.comment.whole_file) {
    return true;
  }
  const auto within = [&placed](const lint::Location& location) {
    return lies_in(location.mark, *placed.scope);
  };
  return placed.scope && (within(finding.primary) || std::ranges::any_of(finding.related, within));
}

lint::Finding finding_at(const lint::Rule& rule, const Mark& mark, std::string message) {
  lint::Finding finding;
  finding.rule = &rule;
  finding.severity = rule.severity;
  finding.message = std::move(message);
  finding.primary.mark = mark;
  return finding;
}

void insert_by_place(lint::Finding finding, std::vector<lint::Finding>& findings) {
  const auto place = [](const lint::Finding& each) {
    return std::pair(each.primary.mark.nowhere(), each.primary.mark.begin);
  };
  const auto behind = std::ranges::find_if(findings, [&](const lint::Finding& each) {
    return each.primary.mark.file == finding.primary.mark.file && place(each) > place(finding);
  });
  findings.insert(behind, std::move(finding));
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
  if (alone && cut.end < bytes.size()) {
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

void Suppressions::judge(Seen& seen, const Circumstances& circumstances) const {
  const Comment& comment = seen.comment;
  seen.problem = comment.problem;
  for (const std::string& name : comment.rules) {
    const lint::Rule* rule = circumstances.knowledge.find(name);
    if (rule == nullptr && seen.problem.empty()) {
      seen.problem = fmt::format("unknown rule `{}`; see `epwise rules list`", name);
    }
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

void Suppressions::accept(const recipe::Recipe& recipe,
                          const Circumstances& circumstances,
                          lint::Result& result) {
  if (!recipe.readable) {
    return;  // unreadable text cannot be accepted
  }
  for (const auto& file : recipe.files) {
    for (Placed& placed : placed_comments(recipe, *file)) {
      Seen& seen = seen_[Key(file->name(), placed.comment.mark.begin)];
      if (seen.comment.mark.nowhere()) {
        seen.comment = placed.comment;
        judge(seen, circumstances);
      }
      for (const lint::Open& open : result.open) {
        seen.open.insert(open.rule);
      }
      for (const lint::Explained& explained : result.explained) {
        seen.open.insert(explained.rule);
      }
      seen.open.insert(result.waiting.begin(), result.waiting.end());
      if (!seen.problem.empty() || !seen.lapsed.empty() || !seen.undecided.empty()) {
        continue;
      }
      const auto is_accepted = [&](const lint::Finding& finding) {
        return seen.rules.contains(finding.rule) && covers(placed, finding);
      };
      for (lint::Finding& finding : result.findings) {
        if (is_accepted(finding)) {
          seen.used.insert(finding.rule);
          result.accepted.push_back(
              {finding,
               placed.comment.reason,
               placed.comment.mark,
               fmt::format("{}:{}", file->name(), placed.comment.mark.start().line),
               placed.comment.until});
        }
      }
      std::erase_if(result.findings, is_accepted);
    }
  }
}

std::vector<std::string> Suppressions::unused_names(const Seen& seen,
                                                    const lint::Selection& selection,
                                                    const lint::Knowledge& knowledge) {
  std::vector<std::string> names;
  for (const std::string& name : seen.comment.rules) {
    const lint::Rule* rule = knowledge.find(name);
    const bool decided = rule != nullptr && selection.takes(*rule) && !lint::is_priced(*rule) &&
                         !seen.open.contains(rule);
    if (decided && !seen.used.contains(rule)) {
      names.push_back(name);
    }
  }
  return names;
}

void Suppressions::report(
    const lint::Selection& selection,
    const lint::Knowledge& knowledge,
    const std::vector<std::pair<const recipe::Recipe*, lint::Result*>>& results) const {
  const auto home = [&](const text::SourceFile& file) -> std::pair<lint::Result*, Mark> {
    for (const auto& [recipe, result] : results) {
      for (const auto& each : recipe->files) {
        if (each->name() == file.name()) {
          return {result, {each.get(), 0, 0}};
        }
      }
    }
    return {nullptr, {}};
  };
  const auto add = [&](std::string_view id,
                       const Comment& comment,
                       std::string message,
                       const std::vector<std::string>& unused = {}) {
    const lint::Rule* rule = knowledge.find(id);
    auto [result, mark] = home(*comment.mark.file);
    if (rule == nullptr || result == nullptr || !selection.takes(*rule)) {
      return;
    }
    mark.begin = comment.mark.begin;
    mark.end = comment.mark.end;
    lint::Finding finding = finding_at(*rule, mark, std::move(message));
    if (!unused.empty()) {
      finding.fixes.push_back(without(unused, comment, mark));
    }
    insert_by_place(std::move(finding), result->findings);
  };
  for (const auto& [key, seen] : seen_) {
    const std::vector<std::string> unused = unused_names(seen, selection, knowledge);
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
}

}  // namespace epwise::suppress
