#include "repair/bench.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "repair/script_edit.h"

namespace epwise::repair {

namespace {

constexpr int kUnreadable = 3;

bool has(const std::vector<std::string>& sorted, const std::string& name) {
  return std::ranges::binary_search(sorted, name);
}

/// A key or word that is read from now on says what it always said: what is wrong with that is no
/// mistake of the right spelling.
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

Draft Bench::draft() const {
  Draft draft;
  draft.words = request.words;
  if (request.file) {
    draft.bytes = request.file->had_byte_order_mark() ? "\xEF\xBB\xBF" : "";
    draft.bytes += request.file->bytes();
  }
  return draft;
}

const recipe::Vocabulary& Bench::vocabulary_of(const recipe::Recipe& recipe) const {
  return recipe.vocabulary ? *recipe.vocabulary
                           : vocabulary_for(recipe.framework, recipe.model_class);
}

Trial Bench::load(Draft draft) const {
  recipe::Request again = request;
  again.words = draft.words;
  if (request.file) {
    again.file = std::make_shared<const text::SourceFile>(request.file->name(), draft.bytes);
    again.stream = nullptr;
  }
  auto recipes = recipe::load(again, [this](recipe::Framework found) -> const recipe::Vocabulary& {
    return vocabulary_for(found, {});
  });
  Trial trial;
  trial.draft = std::move(draft);
  if (place >= recipes.size()) {
    return trial;
  }
  trial.recipe = std::make_shared<const recipe::Recipe>(std::move(recipes[place]));
  return trial;
}

Trial Bench::lint(Draft draft, const model::Target* instead) const {
  Trial trial = load(std::move(draft));
  if (!trial.recipe) {
    return trial;
  }
  trial.result = lint::lint(*trial.recipe,
                            vocabulary_for(trial.recipe->framework, trial.recipe->model_class),
                            instead == nullptr ? target : *instead,
                            knowledge,
                            selection);
  if (accept) {
    accept(*trial.recipe, trial.result);
  }
  return trial;
}

Draft Bench::changed(const Draft& draft, const Change& change, std::string& obstacle) const {
  obstacle = change.obstacle;
  Draft result = draft;
  if (!obstacle.empty()) {
    return result;
  }
  if (!change.edits.empty()) {
    const bool is_original = request.stream && draft.bytes == this->draft().bytes;
    const auto file =
        is_original ? request.file
                    : std::make_shared<const text::SourceFile>(request.file->name(), draft.bytes);
    yaml::Edited edited =
        yaml::edit(*file, document, change.edits, is_original ? request.stream.get() : nullptr);
    if (edited.refusal) {
      const auto line = edited.refusal->mark.start().line;
      obstacle = "line " + std::to_string(line) + ": " + edited.refusal->reason;
      return result;
    }
    result.bytes = std::move(edited.text);
  }
  if (!change.script.empty()) {
    const Trial now = load(draft);
    if (!now.recipe) {
      obstacle = "the script starts another number of programs";
      return result;
    }
    const std::size_t mark = result.bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    result.bytes.replace(
        mark, std::string::npos, edited_script(*now.recipe, change.script, obstacle));
  }
  result.words = edited_words(std::move(result.words), change.words);
  return result;
}

std::string name_of(const lint::Finding& finding) {
  const std::string id(finding.rule->id);
  return finding.rule->builtin ? id + ": " + finding.message : id;
}

Verdict verdict_of(const Trial& trial) {
  if (!trial.recipe) {
    return {{}, {}, {}, {}, {}, kUnreadable};
  }
  return verdict_of(*trial.recipe, trial.result);
}

Verdict verdict_of(const recipe::Recipe& recipe, const lint::Result& result) {
  Verdict verdict;
  verdict.launch = recipe.readable ? rank(result.launch.verdict) : kUnreadable;
  for (const auto& finding : result.findings) {
    if (finding.consequence) {
      continue;
    }
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

}  // namespace epwise::repair
