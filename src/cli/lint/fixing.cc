#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "cli/lint/baseline.h"
#include "cli/lint/linting.h"
#include "model/launcher_target.h"
#include "repair/elsewhere.h"
#include "repair/proof.h"
#include "report/lint/tally.h"
#include "waive/waivers.h"

namespace epwise::cli {

namespace {

/// The least tier of which a fix settles this finding; it has been tried.
std::optional<lint::Tier> least_tier(const lint::Finding& finding) {
  std::optional<lint::Tier> least;
  for (const lint::Fix& fix : finding.fixes) {
    if (!fix.edits.empty() && (!least || fix.tier < *least)) {
      least = fix.tier;
    }
  }
  return least;
}

/// Names of findings, and the least tier of which changes settle them.
using Tiers = std::map<std::string, lint::Tier>;

/// Of the errors that a plan leaves: those that a higher tier's settles, by whatever changes.
Tiers higher_tiers(const repair::Bench& bench, const repair::Plan& plan, lint::Tier highest) {
  Tiers tiers;
  for (const lint::Tier tier : {lint::Tier::performance, lint::Tier::training}) {
    if (tier <= highest || repair::errors_in(plan.after.result) == 0) {
      continue;
    }
    const repair::Trial after = repair::plan(bench, plan.after, tier).after;
    const auto& left = repair::verdict_of(after).problems;
    for (const lint::Finding& finding : plan.after.result.findings) {
      std::string name = repair::name_of(finding);
      if (finding.severity == lint::Severity::error && !finding.consequence &&
          !std::ranges::binary_search(left, name)) {
        tiers.emplace(std::move(name), tier);
      }
    }
  }
  return tiers;
}

/// The errors of a document after its repair go into its report.
void count_left(const report::LintedFile& after,
                const std::set<const lint::Finding*>& accepted,
                lint::Tier highest,
                const Tiers& higher,
                FixedText& fixed,
                report::Repaired& repaired) {
  for (const lint::Finding& finding : after.result.findings) {
    if (accepted.contains(&finding)) {
      continue;
    }
    auto tier = least_tier(finding);
    const auto known = higher.find(repair::name_of(finding));
    if (known != higher.end() && (!tier || *tier <= highest || known->second < *tier)) {
      tier = known->second;
    }
    if (finding.severity > lint::Severity::note && tier && *tier > highest) {
      ++fixed.left[*tier];
    }
    if (finding.severity == lint::Severity::error && !finding.consequence) {
      repaired.left.push_back({finding.rule, tier});
    }
  }
  std::string unsettled = report::unsettled_text(repaired);
  if (!unsettled.empty()) {
    fixed.unsettled.push_back(std::move(unsettled));
  }
}

/// Accepted findings that this tier has a fix for: what --fix would have looked at.
void count_spared(const lint::Result& result, lint::Tier highest, FixedText& fixed) {
  for (const lint::Accepted& each : result.accepted) {
    const auto tier = least_tier(each.finding);
    const bool note = each.finding.severity == lint::Severity::note;
    if (tier && *tier <= (note ? lint::Tier::neutral : highest)) {
      ++(each.mark.nowhere() ? fixed.spared_by_baseline : fixed.spared_by_comments);
    }
  }
}

report::Repaired report_of(const repair::Plan& plan, bool made) {
  report::Repaired repaired;
  repaired.made = made;
  repaired.bounded = plan.bounded;
  for (const repair::Repair& repair : plan.repairs) {
    for (const repair::Repair::Edit& edit : repair.edits) {
      repaired.changes.push_back({edit.field, edit.before, edit.after, repair.rule, repair.tier});
    }
  }
  return repaired;
}

}  // namespace

/// Where a linted document stands among those of the file.
std::size_t Linter::place_of(std::size_t document) const {
  return documents_.number > 0 ? static_cast<std::size_t>(documents_.number - 1) : document;
}

repair::Bench Linter::bench_of(const Sheet& sheet, std::size_t place, const model::Target& target) {
  repair::Bench bench{knowledge_,
                      target,
                      sheet.task.selection,
                      [this, &sheet](recipe::Framework framework,
                                     std::string_view model_class) -> const recipe::Vocabulary& {
                        return vocabulary_of(sheet, framework, model_class);
                      },
                      sheet.request,
                      place,
                      static_cast<int>(place) + 1,
                      {}};
  bench.accept = [this, &target, &sheet](const recipe::Recipe& recipe, lint::Result& result) {
    if (sheet.task.ignores) {
      waive::Waivers().accept(recipe, {knowledge_, target, sheet.task.today}, result);
    }
    if (sheet.task.fix && sheet.task.baseline != nullptr) {
      sheet.task.baseline->spare(*sheet.task.checkout, recipe, result);
    }
  };
  return bench;
}

void Linter::prove(const Sheet& sheet, LintOutcome& outcome) {
  for (std::size_t i = 0; i < outcome.files.size(); ++i) {
    report::LintedFile& file = outcome.files[i];
    const model::Target on = model::with_launcher(sheet.resolved.target, *file.recipe);
    const repair::Bench bench = bench_of(sheet, place_of(i), on);
    const bool full = sheet.task.written_in_full;
    repair::prove_fixes(
        bench, *file.recipe, file.result, full ? lint::Severity::note : lint::Severity::warning);
    if (full) {
      repair::find_elsewhere(bench, *file.recipe, file.result);
    }
  }
}

/// Comments that accept nothing any more go, with their line where nothing else stands in it.
void Linter::drop_unused(Sheet& sheet, const LintOutcome& outcome, FixedText& fixed) {
  std::vector<text::Mark> cuts;
  for (const report::LintedFile& file : outcome.files) {
    for (const lint::Finding& finding : file.result.findings) {
      const text::Mark& mark = finding.primary.mark;
      if (finding.rule->id == "suppression/unused" && mark.file == sheet.request.file.get()) {
        cuts.push_back(waive::cut_of(mark));
        fixed.repairs.push_back(
            {std::string(finding.rule->id),
             lint::Tier::neutral,
             {{std::string(mark.file->bytes().substr(mark.begin, mark.end - mark.begin)),
               "",
               std::nullopt}}});
      }
    }
  }
  if (cuts.empty()) {
    return;
  }
  std::ranges::sort(cuts, std::greater<>(), &text::Mark::begin);
  std::string bytes(sheet.request.file->bytes());
  for (const text::Mark& cut : cuts) {
    bytes.erase(cut.begin, cut.end - cut.begin);
  }
  if (sheet.request.file->had_byte_order_mark()) {
    bytes.insert(0, "\xEF\xBB\xBF");
  }
  sheet.request.file =
      std::make_shared<const text::SourceFile>(sheet.request.file->name(), std::move(bytes));
  sheet.request.stream = nullptr;
}

void Linter::fix(Sheet& sheet, LintOutcome& outcome) {
  const FixOrder& order = *sheet.task.fix;
  FixedText fixed;
  fixed.before = bench_of(sheet, 0, sheet.resolved.target).draft();
  drop_unused(sheet, outcome, fixed);
  std::vector<report::Repaired> repaired;
  std::vector<Tiers> higher;
  for (std::size_t i = 0; i < outcome.files.size(); ++i) {
    const model::Target on = model::with_launcher(sheet.resolved.target, *outcome.files[i].recipe);
    const repair::Bench bench = bench_of(sheet, place_of(i), on);
    const repair::Trial before = bench.lint(bench.draft());
    count_spared(before.result, order.highest, fixed);
    repair::Plan plan = repair::plan(bench, before, order.highest);
    repaired.push_back(report_of(plan, !order.show_only));
    higher.push_back(higher_tiers(bench, plan, order.highest));
    const auto& raw = outcome.files[i].recipe->raw;
    const auto launcher = raw.find("raw.launcher");
    fixed.of_words = fixed.of_words || !sheet.request.file ||
                     (launcher != raw.end() && launcher->second.to_text() == "shell");
    std::ranges::move(plan.repairs, std::back_inserter(fixed.repairs));
    fixed.bounded = fixed.bounded || plan.bounded;
    if (sheet.request.file) {
      sheet.request.file = std::make_shared<const text::SourceFile>(sheet.request.file->name(),
                                                                    plan.after.draft.bytes);
      sheet.request.stream = nullptr;
    }
    sheet.request.words = std::move(plan.after.draft.words);
  }
  fixed.after = bench_of(sheet, 0, sheet.resolved.target).draft();
  LintOutcome after = lint(sheet);
  prove(sheet, after);
  const std::size_t documents = std::min(repaired.size(), after.files.size());
  for (std::size_t i = 0; i < documents; ++i) {
    const report::LintedFile& file = after.files[i];
    std::set<const lint::Finding*> accepted;
    if (sheet.task.baseline != nullptr) {
      accepted = sheet.task.baseline->known(*sheet.task.checkout, *file.recipe, file.result);
    }
    count_left(file, accepted, order.highest, higher[i], fixed, repaired[i]);
  }
  if (!order.show_only) {
    outcome.files = std::move(after.files);
  }
  for (std::size_t i = 0; i < documents; ++i) {
    outcome.files[i].repaired = std::move(repaired[i]);
  }
  outcome.fixed = std::move(fixed);
}

}  // namespace epwise::cli
