#include "fix/verdict.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "fix/change.h"

namespace epwise::fix {

using session::Analysis;

namespace {

constexpr int kUnreadable = 3;

bool has(const std::vector<std::string>& sorted, const std::string& name) {
  return std::ranges::binary_search(sorted, name);
}

/// Correcting a misspelt key can expose errors in its value; do not count those against the
/// correction.
bool is_of_misspelling(std::string_view finding) {
  constexpr std::array<std::string_view, 5> kUnread{"recipe/unknown-key: ",
                                                    "recipe/refused-key: ",
                                                    "recipe/unknown-word: ",
                                                    "flags/unrecognized: ",
                                                    "flags/bad-choice: "};
  return std::ranges::any_of(kUnread,
                             [&](std::string_view rule) { return finding.starts_with(rule); });
}

}  // namespace

int rank(lint::Verdict verdict) {
  switch (verdict) {
    case lint::Verdict::starts:
      return 0;
    case lint::Verdict::undecided:
      return 1;
    case lint::Verdict::rejects:
      break;
  }
  return 2;
}

session::Draft changed(const Analysis& from, const Change& change, std::string& obstacle) {
  obstacle = change.obstacle;
  session::Draft result = from.draft;
  if (!obstacle.empty()) {
    return result;
  }
  if (!change.edits.empty()) {
    const yaml::ParsedText text = from.document->text_of(from.draft);
    yaml::Edited edited =
        yaml::edit(*text.file, static_cast<int>(from.place) + 1, change.edits, text.stream.get());
    if (edited.refusal) {
      const auto line = edited.refusal->mark.start().line;
      obstacle = "line " + std::to_string(line) + ": " + edited.refusal->reason;
      return result;
    }
    result.bytes = std::move(edited.text);
    result.parsed = std::move(edited.parsed);
  }
  if (!change.script.empty()) {
    const std::size_t mark = result.bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    result.bytes.replace(
        mark, std::string::npos, edited_script(*from.recipe, change.script, obstacle));
  }
  result.words = edited_words(std::move(result.words), change.words);
  return result;
}

std::string name_of(const lint::Finding& finding) {
  const std::string id(finding.rule->id);
  // A reader tells several mistakes by one rule; a prediction is one, whatever its numbers.
  return finding.rule->builtin && !lint::is_predicted(*finding.rule) ? id + ": " + finding.message
                                                                     : id;
}

Verdict verdict_of(const Analysis& analysis) {
  if (!analysis.recipe) {
    return {{}, {}, {}, {}, {}, kUnreadable};
  }
  const lint::Result& result = analysis.result;
  Verdict verdict;
  verdict.launch = analysis.recipe->readable ? rank(result.launch.verdict) : kUnreadable;
  for (const auto& finding : result.findings) {
    verdict.findings.push_back(name_of(finding));
    if (finding.severity >= lint::Severity::warning) {
      verdict.problems.push_back(verdict.findings.back());
    }
  }
  for (const auto& open : result.open) {
    verdict.open.emplace_back(open.rule->id);
  }
  std::ranges::sort(verdict.open);
  std::ranges::sort(verdict.findings);
  std::ranges::sort(verdict.problems);
  std::vector<const lint::Rule*> explained;
  for (const auto& each : result.explained) {
    explained.push_back(each.rule);
  }
  add_unreported(explained, result.waiting, verdict);
  return verdict;
}

void add_unreported(const std::vector<const lint::Rule*>& explained,
                    const std::vector<const lint::Rule*>& waiting,
                    Verdict& verdict) {
  for (const auto* rule : explained) {
    if (rule->severity >= lint::Severity::warning) {
      verdict.hidden.emplace_back(rule->id);
    }
  }
  for (const auto* rule : waiting) {
    verdict.waiting.emplace_back(rule->id);
    verdict.hidden.emplace_back(rule->id);
  }
  std::ranges::sort(verdict.waiting);
  std::ranges::sort(verdict.hidden);
}

bool is_better(const Verdict& before, const Verdict& after, const std::string& finding) {
  const auto was_there = [&](const std::string& name) {
    return has(before.problems, name) || has(before.waiting, name);
  };
  const auto was_hidden = [&](const std::string& name) {
    return has(before.problems, name) || has(before.hidden, name);
  };
  const bool nothing_new =
      is_of_misspelling(finding) || (std::ranges::all_of(after.problems, was_there) &&
                                     std::ranges::all_of(after.hidden, was_hidden));
  return !has(after.findings, finding) && !has(after.open, finding) && nothing_new &&
         after.launch <= before.launch;
}

}  // namespace epwise::fix
