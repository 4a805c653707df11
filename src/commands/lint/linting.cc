#include "commands/lint/linting.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "base/os/crash_guard.h"
#include "base/os/files.h"
#include "commands/lint/pricing.h"
#include "fix/judge.h"
#include "fix/proof.h"
#include "fix/verdict.h"
#include "session/target/resolution.h"
#include "suppress/suppressions.h"
#include "ui/findings/lint_report.h"
#include "yaml/parse.h"

namespace epwise::cli {

std::shared_ptr<const Document> parsed(const std::shared_ptr<const Document>& document) {
  if (document->request.file == nullptr) {
    return document;
  }
  auto with_stream = std::make_shared<Document>(*document);
  with_stream->request.stream =
      std::make_shared<const yaml::Stream>(yaml::parse(*document->request.file));
  return with_stream;
}

namespace {

void add(Analysis analysis, LintOutcome& outcome) {
  if (const auto& baseline = analysis.document->acceptance.baseline) {
    outcome.known.push_back(
        {baseline,
         analysis.recipe,
         machine_text(*analysis.target),
         std::move(analysis.known),
         baseline->undecided(
             *analysis.recipe, analysis.result, analysis.selection(), analysis.knowledge())});
  }
  outcome.files.push_back(linted_file(std::move(analysis)));
}

}  // namespace

report::LintedFile linted_file(Analysis analysis) {
  analysis.result.ledger.reset();  // thousands of files may be reported
  return {analysis.recipe->path,
          analysis.recipe,
          std::move(analysis.result),
          describe(*analysis.target, analysis.recipe->framework),
          machine_text(*analysis.target),
          std::nullopt,
          analysis.document->threshold.fail_on,
          analysis.document->threshold.effect};
}

bool may_use_base(const LintOutcome& outcome) {
  return !outcome.unreadable.empty() || !outcome.usage.empty() ||
         std::ranges::any_of(outcome.files, [](const report::LintedFile& file) {
           return file.recipe->base != nullptr;
         });
}

void check_base_is_used(const session::Given& given, bool used) {
  const std::optional<Setting>& base = given.targets.front().base;
  if (base && !used) {
    throw os::UsageError(
        fmt::format("{} {} only applies to files of Megatron-Bridge overrides, and none is linted",
                    base->source,
                    base->value));
  }
}

LintOutcome Linter::run(const LintTask& task) {
  LintOutcome outcome;
  try {
    return lint(task);
  } catch (const os::UsageError& error) {
    outcome.usage = error.what();
  } catch (const os::MissingError& error) {
    outcome.unreadable = error.what();
  } catch (const std::exception& error) {
    outcome.internal = fmt::format("{}: {}", task.source.path, error.what());
  }
  return outcome;
}

LintOutcome Linter::lint(const LintTask& task) {
  std::shared_ptr<const Document> document = workspace_.open(task.source);
  if (order_.fix || order_.shows_fixes) {
    document = parsed(document);
  }
  LintOutcome outcome;
  const std::function<void(Analysis&)> price = [&](Analysis& analysis) {
    outcome.unpriced = order_.pricing->add(analysis);
  };
  const auto more = order_.pricing == nullptr ? std::function<void(Analysis&)>() : price;
  std::vector<Analysis> analyses = analyze(document, more);
  outcome.skipped = !task.named && is_not_a_recipe(analyses);
  if (outcome.skipped) {
    return outcome;
  }
  std::vector<report::Repaired> repaired;
  if (order_.fix) {
    std::vector<Analysis> after = fix(analyses, more, repaired, outcome);
    if (!order_.fix->show_only) {
      analyses = std::move(after);
    }
  } else if (order_.shows_fixes) {
    for (Analysis& analysis : analyses) {
      prove(analysis);
    }
  }
  for (Analysis& analysis : analyses) {
    add(std::move(analysis), outcome);
  }
  for (std::size_t i = 0; i < std::min(repaired.size(), outcome.files.size()); ++i) {
    outcome.files[i].repaired = std::move(repaired[i]);
  }
  return outcome;
}

void Linter::prove(Analysis& analysis) const {
  const bool full = order_.written_in_full;
  fix::prove_fixes(analysis, full ? lint::Severity::note : lint::Severity::warning);
  if (full) {
    fix::find_elsewhere(analysis);
  }
}

namespace {

/// The lowest tier with a verified fix that resolves this finding.
std::optional<lint::Tier> least_tier(const lint::Finding& finding) {
  std::optional<lint::Tier> least;
  for (const lint::Fix& fix : finding.fixes) {
    if (!fix.edits.empty() && (!least || fix.tier < *least)) {
      least = fix.tier;
    }
  }
  return least;
}

/// Names of findings, and the lowest tier with changes that resolve them.
using Tiers = std::map<std::string, lint::Tier>;

/// The errors left by a plan that a higher tier's plan resolves.
Tiers higher_tiers(const fix::Plan& plan, lint::Tier highest) {
  Tiers tiers;
  for (const lint::Tier tier : {lint::Tier::performance, lint::Tier::training}) {
    if (tier <= highest || fix::errors_in(plan.after.result) == 0) {
      continue;
    }
    const Analysis after = fix::plan(plan.after, tier).after;
    const auto& left = fix::verdict_of(after).problems;
    for (const lint::Finding& finding : plan.after.result.findings) {
      std::string name = fix::name_of(finding);
      if (finding.severity == lint::Severity::error && !std::ranges::binary_search(left, name)) {
        tiers.emplace(std::move(name), tier);
      }
    }
  }
  return tiers;
}

/// The errors of a recipe after fixing go into its report.
void count_left(const Analysis& fixed_recipe,
                lint::Tier highest,
                const Tiers& higher,
                FixedText& fixed,
                report::Repaired& repaired) {
  for (const lint::Finding& finding : fixed_recipe.result.findings) {
    auto tier = least_tier(finding);
    const auto known = higher.find(fix::name_of(finding));
    if (known != higher.end() && (!tier || *tier <= highest || known->second < *tier)) {
      tier = known->second;
    }
    if (finding.severity > lint::Severity::note && tier && *tier > highest) {
      ++fixed.left[*tier];
    }
    if (finding.severity == lint::Severity::error) {
      repaired.left.push_back({finding.rule, tier});
    }
  }
  const std::string unsettled = report::unsettled_text(repaired);
  if (!unsettled.empty()) {
    fixed.unsettled.push_back(fixed_recipe.recipe->path + ": " + unsettled);
  }
}

/// Accepted findings with a fix of this tier, which --fix would otherwise have considered.
void count_spared(const lint::Result& result, lint::Tier highest, FixedText& fixed) {
  for (const lint::Accepted& each : result.accepted) {
    const auto tier = least_tier(each.finding);
    const bool note = each.finding.severity == lint::Severity::note;
    if (tier && *tier <= (note ? lint::Tier::neutral : highest)) {
      ++(each.mark.nowhere() ? fixed.spared_by_baseline : fixed.spared_by_comments);
    }
  }
}

report::Repaired report_of(const fix::Plan& plan, bool made) {
  report::Repaired repaired;
  repaired.made = made;
  repaired.bounded = plan.bounded;
  for (const fix::Repair& repair : plan.repairs) {
    for (const fix::Repair::Edit& edit : repair.edits) {
      repaired.changes.push_back({edit.field, edit.before, edit.after, repair.rule, repair.tier});
    }
  }
  return repaired;
}

/// Removes from comments the rules that they no longer accept, and comments of which none is left.
Draft without_unused_comments(const std::vector<Analysis>& analyses, FixedText& fixed) {
  const std::shared_ptr<const text::SourceFile>& file = analyses.front().document->request.file;
  std::vector<lint::Fix::Patch> patches;
  for (const Analysis& analysis : analyses) {
    for (const lint::Finding& finding : analysis.result.findings) {
      if (finding.rule->id != "suppression/unused" || finding.primary.mark.file != file.get()) {
        continue;
      }
      const lint::Fix::Patch& patch = finding.fixes.front().patches.front();
      const auto written = [&](const text::Mark& mark) {
        return std::string(mark.file->bytes().substr(mark.begin, mark.end - mark.begin));
      };
      patches.push_back(patch);
      fixed.repairs.push_back(
          {std::string(finding.rule->id),
           lint::Tier::neutral,
           {patch.text.empty()
                ? fix::Repair::Edit{written(finding.primary.mark), "", std::nullopt}
                : fix::Repair::Edit{"epwise: ignore", written(patch.mark), patch.text}}});
    }
  }
  Draft draft = analyses.front().document->draft();
  const std::size_t start = file != nullptr && file->had_byte_order_mark() ? 3 : 0;
  std::ranges::sort(patches, std::greater<>(), [](const auto& patch) { return patch.mark.begin; });
  for (const lint::Fix::Patch& patch : patches) {
    draft.bytes.replace(start + patch.mark.begin, patch.mark.end - patch.mark.begin, patch.text);
  }
  return draft;
}

/// The same document with another text.
std::shared_ptr<const Document> rewritten(const Document& document, const Draft& draft) {
  auto result = std::make_shared<Document>(document);
  if (result->request.file) {
    result->request.file =
        std::make_shared<const text::SourceFile>(document.request.file->name(), draft.bytes);
    result->request.stream = nullptr;
  }
  result->request.words = draft.words;
  return result;
}

bool is_of_words(const recipe::Recipe& recipe, const Document& document) {
  const auto launcher = recipe.raw.find("raw.launcher");
  return !document.request.file ||
         (launcher != recipe.raw.end() && launcher->second.to_text() == "shell");
}

/// Launches of a script may share lines, so that what settles an error of one spoils another. The
/// first problem that a plan for `planned` gives another recipe of the file; empty: none.
std::string spoils(const std::vector<Analysis>& analyses,
                   const Analysis& planned,
                   const Draft& before,
                   const Draft& after) {
  if (before == after || !is_of_words(*planned.recipe, *planned.document)) {
    return {};
  }
  for (const Analysis& other : analyses) {
    if (other.place == planned.place) {
      continue;
    }
    const fix::Verdict then = fix::verdict_of(other.with(before));
    const fix::Verdict now = fix::verdict_of(other.with(after));
    for (const std::string& problem : now.problems) {
      if (!std::ranges::binary_search(then.problems, problem)) {
        return fmt::format("{} would get {}", other.recipe->path, problem);
      }
    }
  }
  return {};
}

}  // namespace

std::vector<Analysis> Linter::fix(const std::vector<Analysis>& analyses,
                                  const std::function<void(Analysis&)>& more,
                                  std::vector<report::Repaired>& repaired,
                                  LintOutcome& outcome) const {
  const FixOrder& order = *order_.fix;
  const Document& document = *analyses.front().document;
  FixedText fixed;
  fixed.before = document.draft();
  Draft draft = without_unused_comments(analyses, fixed);
  std::vector<Tiers> higher;
  std::set<std::size_t> left_out;
  for (const Analysis& analysis : analyses) {
    const Analysis before = analysis.with(draft);
    count_spared(before.result, order.highest, fixed);
    fix::Plan plan = fix::plan(before, order.highest);
    if (const std::string spoilt = spoils(analyses, analysis, draft, plan.after.draft);
        !spoilt.empty()) {
      fixed.unsettled.push_back(fmt::format(
          "{}: its fixes are left out, {}: they share lines", analysis.recipe->path, spoilt));
      left_out.insert(repaired.size());
      plan = {};
      plan.after = before;
    }
    repaired.push_back(report_of(plan, !order.show_only));
    higher.push_back(higher_tiers(plan, order.highest));
    fixed.of_words = fixed.of_words || is_of_words(*analysis.recipe, document);
    std::ranges::move(plan.repairs, std::back_inserter(fixed.repairs));
    fixed.bounded = fixed.bounded || plan.bounded;
    draft = std::move(plan.after.draft);
  }
  std::vector<Analysis> after = analyze(rewritten(document, draft), more);
  fixed.after = std::move(draft);
  repaired.resize(std::min(repaired.size(), after.size()));
  for (Analysis& analysis : after) {
    prove(analysis);
  }
  for (std::size_t i = 0; i < repaired.size(); ++i) {
    if (left_out.contains(i)) {
      continue;
    }
    count_left(after[i], order.highest, higher[i], fixed, repaired[i]);
  }
  outcome.fixed = std::move(fixed);
  return after;
}

LintOutcome run_guarded(Linter& linter, const LintTask& task) {
  auto outcome = std::make_unique<LintOutcome>();
  std::string what;
  if (os::run_guarded([&] { *outcome = linter.run(task); }, what)) {
    return std::move(*outcome);
  }
  static_cast<void>(outcome.release());  // it may be half written: not even destroyed
  LintOutcome crashed;
  crashed.internal = task.source.path + ": " + what;
  return crashed;
}

}  // namespace epwise::cli
