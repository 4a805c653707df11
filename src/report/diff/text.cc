#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/diff/writer.h"
#include "report/lint/tally.h"
#include "report/table_cell.h"
#include "units/prefixes.h"

namespace epwise::report {
namespace {

/// "step 1.91 s (1.80 to 2.03) → 1.84 s (1.73 to 1.96), -3.7 % (-5.0 to -2.4): faster"
std::vector<std::string> predicted(const RecipeDifference& recipes) {
  std::vector<std::string> stopped;
  for (const auto& [name, why] : {std::pair(&recipes.before, &recipes.stopped_before),
                                  std::pair(&recipes.after, &recipes.stopped_after)}) {
    if (!why->empty()) {
      stopped.push_back(fmt::format("{} {}", *name, *why));
    }
  }
  if (!stopped.empty()) {
    stopped.emplace_back("no step time is predicted for what does not run");
    return stopped;
  }
  if (!recipes.predicted_before || !recipes.predicted_after) {
    return {fmt::format("nothing is predicted: {}", recipes.unpredicted)};
  }
  const auto step = [](const sim::Range& range) {
    return fmt::format("{:.3g} s ({:.3g} to {:.3g})", range.value, range.low, range.high);
  };
  const auto memory = [](const sim::Range& range) {
    return fmt::format("{:.1f} GiB ({:.1f} to {:.1f})",
                       range.value / units::kGiB,
                       range.low / units::kGiB,
                       range.high / units::kGiB);
  };
  std::vector<std::string> lines;
  std::string line = fmt::format("step {} → {}",
                                 step(recipes.predicted_before->step_time),
                                 step(recipes.predicted_after->step_time));
  if (recipes.comparison) {
    constexpr double kHundred = 100;
    const sim::Range& speedup = recipes.comparison->speedup;
    line += fmt::format(", {:+.1f} % ({:+.1f} to {:+.1f})",
                        (1 / speedup.value - 1) * kHundred,
                        (1 / speedup.high - 1) * kHundred,
                        (1 / speedup.low - 1) * kHundred);
    line += recipes.comparison->verdict == sim::Verdict::too_close ? ": too close to call"
            : recipes.comparison->verdict == sim::Verdict::b       ? ": faster"
                                                                   : ": slower";
  }
  lines.push_back(std::move(line));
  lines.push_back(fmt::format("memory {} → {}",
                              memory(recipes.predicted_before->needed_memory),
                              memory(recipes.predicted_after->needed_memory)));
  return lines;
}

/// "rng.te_rng_tracker: true"
std::string assignment(const review::Wanted& wanted) {
  return wanted.field + (wanted.value.empty() ? " taken out" : ": " + wanted.value);
}

/// "0 (default)" where the recipe does not say it.
std::string valued(const std::string& value, bool is_default) {
  return is_default ? value + " (default)" : value;
}

void add_findings(std::string_view title,
                  const std::vector<review::Told>& findings,
                  std::string& out) {
  for (const review::Told& each : findings) {
    out += fmt::format(
        "{} {}[{}] {}\n", title, lint::to_string(each.severity), each.rule, each.message);
  }
}

void add_list(std::string_view title, const std::vector<review::Told>& findings, std::string& out) {
  if (findings.empty()) {
    return;
  }
  out +=
      fmt::format("\n**{} {}**\n\n", counted(static_cast<int>(findings.size()), "finding"), title);
  for (const review::Told& each : findings) {
    out += fmt::format(
        "* {} `{}`: {}\n", lint::to_string(each.severity), each.rule, table_cell(each.message));
  }
}

/// What is said of a recipe that only one side has, without its name.
std::vector<std::string> told_of(const OneSided& recipe) {
  std::vector<std::string> sentences;
  if (!recipe.stopped.empty()) {
    sentences.push_back(recipe.stopped);
  }
  if (!recipe.named_by.empty()) {
    sentences.push_back("is still named by " + listed(recipe.named_by));
  }
  return sentences;
}

}  // namespace

std::string diff_text(const RecipeDifference& recipes, const Style& style) {
  const review::Difference& difference = recipes.difference;
  std::string out;
  if (!style.quiet) {
    out += fmt::format("{} → {}{}{}\n",
                       recipes.before,
                       recipes.after,
                       recipes.target.empty() ? "" : ": ",
                       recipes.target);
  }
  std::size_t widest = 0;
  for (const review::Changed& changed : difference.changed) {
    widest = std::max(widest, changed.field.size());
  }
  for (const review::Changed& changed : difference.changed) {
    out += fmt::format(
        "{:<17}  {:<{}}  {} → {}{}\n",
        review::to_string(changed.effect),
        changed.field,
        widest,
        valued(changed.before, changed.default_before),
        valued(changed.after, changed.default_after),
        changed.rules.empty() ? std::string() : fmt::format("  ({})", listed(changed.rules)));
  }
  if (difference.changed.empty()) {
    out += "no parameter counts differently\n";
  }
  add_findings("introduced:", difference.introduced, out);
  add_findings("removed:", difference.removed, out);
  for (const review::Wanted& wanted : difference.wanted) {
    out += fmt::format("not changed, and asked for: {} ({})\n", assignment(wanted), wanted.rule);
  }
  if (!difference.coupled.empty()) {
    out += fmt::format("not changed, and read by what was introduced: {}\n",
                       fmt::join(difference.coupled, ", "));
  }
  for (const std::string& line : predicted(recipes)) {
    out += line + "\n";
  }
  return out;
}

std::string diff_markdown(const RecipeDifference& recipes) {
  const review::Difference& difference = recipes.difference;
  std::string out =
      fmt::format("### epwise: {} → {}\n", table_cell(recipes.before), table_cell(recipes.after));
  if (difference.changed.empty()) {
    out += "\nNo parameter counts differently.\n";
  } else {
    out += "\n| change | parameter | before | after |\n| --- | --- | --- | --- |\n";
  }
  for (const review::Changed& changed : difference.changed) {
    out += fmt::format("| {} | `{}` | `{}`{} | `{}`{} |\n",
                       review::to_string(changed.effect),
                       table_cell(changed.field),
                       table_cell(changed.before),
                       changed.default_before ? " (default)" : "",
                       table_cell(changed.after),
                       changed.default_after ? " (default)" : "");
  }
  add_list("introduced", difference.introduced, out);
  add_list("removed", difference.removed, out);
  if (!difference.wanted.empty()) {
    out += "\n**Not changed, and asked for**\n\n";
  }
  for (const review::Wanted& wanted : difference.wanted) {
    out += fmt::format("* `{}` ({})\n", table_cell(assignment(wanted)), wanted.rule);
  }
  if (!difference.coupled.empty()) {
    out += fmt::format("\nNot changed, and read by what was introduced: `{}`\n",
                       fmt::join(difference.coupled, "`, `"));
  }
  out += "\n";
  for (const std::string& line : predicted(recipes)) {
    out += fmt::format("* {}\n", line);
  }
  return out;
}

std::string diff_text(const OneSided& recipe) {
  std::string out = fmt::format("{}: {}\n", recipe.path, recipe.added ? "added" : "removed");
  for (const std::string& sentence : told_of(recipe)) {
    out += fmt::format("{} {}\n", recipe.path, sentence);
  }
  add_findings("introduced:", recipe.introduced, out);
  return out;
}

std::string diff_markdown(const OneSided& recipe) {
  std::string out = fmt::format(
      "### epwise: `{}` is {}\n", table_cell(recipe.path), recipe.added ? "added" : "removed");
  add_list("introduced", recipe.introduced, out);
  const std::vector<std::string> sentences = told_of(recipe);
  out += sentences.empty() ? "" : "\n";
  for (const std::string& sentence : sentences) {
    out += fmt::format("* {}\n", table_cell(sentence));
  }
  return out;
}

}  // namespace epwise::report
