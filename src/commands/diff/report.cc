#include "commands/diff/report.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/units/quantity.h"
#include "ui/columns.h"
#include "ui/findings/lint_report.h"
#include "ui/findings/rule_help.h"
#include "ui/json.h"
#include "ui/markup.h"
#include "ui/prediction_text.h"

namespace epwise::report {

namespace {

/// "step 1.91 s (1.80 to 2.03) → 1.84 s (1.73 to 1.96), -3.7 % (-5.0 to -2.4): faster"
std::vector<std::string> predicted(const RecipeDifference& recipes) {
  std::vector<std::string> lines;
  for (const auto& [name, why] : {std::pair(&recipes.before, &recipes.stopped_before),
                                  std::pair(&recipes.before, &recipes.accepted_before),
                                  std::pair(&recipes.after, &recipes.stopped_after),
                                  std::pair(&recipes.after, &recipes.accepted_after)}) {
    if (!why->empty()) {
      lines.push_back(fmt::format("{} {}", *name, *why));
    }
  }
  if (!(recipes.stopped_before + recipes.stopped_after).empty()) {
    lines.emplace_back(
        "no step time is predicted for a recipe that does not run; "
        "`epwise compare` predicts it all the same");
    return lines;
  }
  if (!recipes.predicted_before || !recipes.predicted_after) {
    lines.push_back(fmt::format("no prediction: {}", recipes.unpredicted));
    return lines;
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
  std::string line = fmt::format("step {} → {}",
                                 step(recipes.predicted_before->step_time),
                                 step(recipes.predicted_after->step_time));
  if (recipes.comparison) {
    constexpr double kHundred = 100;
    const sim::Range& speedup = recipes.comparison->speedup;
    const double tokens = recipes.comparison->tokens;
    line +=
        fmt::format(", {}{:+.1f} % ({:+.1f} to {:+.1f})",
                    tokens == 1 ? "" : fmt::format("{:.3g} times the tokens, per token ", tokens),
                    (1 / speedup.value - 1) * kHundred,
                    (1 / speedup.high - 1) * kHundred,
                    (1 / speedup.low - 1) * kHundred);
    line += recipes.comparison->is_equal()                           ? ": no difference"
            : recipes.comparison->verdict == sim::Verdict::too_close ? ": too close to call"
            : recipes.comparison->verdict == sim::Verdict::b         ? ": faster"
                                                                     : ": slower";
  }
  lines.push_back(std::move(line));
  lines.push_back(fmt::format("memory {} → {}",
                              memory(recipes.predicted_before->needed_memory),
                              memory(recipes.predicted_after->needed_memory)));
  return lines;
}

/// What recipes contain stays on its line.
std::string one_line(std::string_view text) {
  return printable(text, true) + "\n";
}

/// "rng.te_rng_tracker: true"
std::string assignment(const diff::Wanted& wanted) {
  return wanted.field + (wanted.value.empty() ? " removed" : ": " + wanted.value);
}

/// "0 (default)" if the recipe does not set it.
std::string valued(const std::string& value, bool is_default) {
  return is_default ? value + " (default)" : value;
}

void add_told_findings(std::string_view title,
                       const std::vector<diff::Told>& findings,
                       std::string& out) {
  for (const diff::Told& each : findings) {
    out += one_line(fmt::format(
        "{} {}[{}] {}", title, lint::to_string(each.severity), each.rule, each.message));
  }
}

void add_list(std::string_view title, const std::vector<diff::Told>& findings, std::string& out) {
  if (findings.empty()) {
    return;
  }
  out +=
      fmt::format("\n**{} {}**\n\n", counted(static_cast<int>(findings.size()), "finding"), title);
  for (const diff::Told& each : findings) {
    out += fmt::format(
        "* {} `{}`: {}\n", lint::to_string(each.severity), each.rule, markdown(each.message));
  }
}

/// The text for a recipe that exists on one side only, without its name.
std::vector<std::string> told_of(const OneSided& recipe) {
  std::vector<std::string> sentences;
  if (!recipe.stopped.empty()) {
    sentences.push_back(recipe.stopped);
  }
  if (!recipe.named_by.empty()) {
    sentences.push_back("is still referred to by " + listed(recipe.named_by));
  }
  return sentences;
}

}  // namespace

std::string diff_text(const RecipeDifference& recipes, const Style& style) {
  const diff::Difference& difference = recipes.difference;
  std::string out;
  if (!style.quiet) {
    out += one_line(fmt::format("{} → {}: {}", recipes.before, recipes.after, recipes.against));
  }
  if (!recipes.against_before.empty()) {
    out += one_line(fmt::format(
        "the targets differ: {} before, {} after", recipes.against_before, recipes.against));
  }
  std::size_t widest = 0;
  for (const diff::Changed& changed : difference.changed) {
    widest = std::max(widest, changed.field.size());
  }
  for (const diff::Changed& changed : difference.changed) {
    out += one_line(fmt::format(
        "{:<17}  {:<{}}  {} → {}{}",
        diff::to_string(changed.effect),
        changed.field,
        widest,
        valued(changed.before, changed.default_before),
        valued(changed.after, changed.default_after),
        changed.rules.empty() ? std::string() : fmt::format("  ({})", listed(changed.rules))));
  }
  if (difference.changed.empty()) {
    out += "no effective value differs\n";
  }
  add_told_findings("introduced:", difference.introduced, out);
  add_told_findings("introduced, but accepted:", difference.waived, out);
  add_told_findings("removed:", difference.removed, out);
  add_told_findings("accepted now:", difference.accepted, out);
  for (const diff::Wanted& wanted : difference.wanted) {
    out += one_line(
        fmt::format("also suggested, but not applied: {} ({})", assignment(wanted), wanted.rule));
  }
  if (!difference.coupled.empty()) {
    out += one_line(fmt::format("not changed, but read by the new findings: {}",
                                fmt::join(difference.coupled, ", ")));
  }
  for (const std::string& line : predicted(recipes)) {
    out += one_line(line);
  }
  return out;
}

std::string diff_markdown(const RecipeDifference& recipes) {
  const diff::Difference& difference = recipes.difference;
  std::string out =
      fmt::format("### epwise: {} → {}\n", markdown(recipes.before), markdown(recipes.after));
  if (!recipes.against_before.empty()) {
    out += fmt::format("\nThe targets differ: {} before, {} after.\n",
                       markdown(recipes.against_before),
                       markdown(recipes.against));
  }
  if (difference.changed.empty()) {
    out += "\nNo effective value differs.\n";
  } else {
    out += "\n| change | parameter | before | after |\n| --- | --- | --- | --- |\n";
  }
  for (const diff::Changed& changed : difference.changed) {
    out += fmt::format("| {} | {} | {}{} | {}{} |\n",
                       diff::to_string(changed.effect),
                       code_span(changed.field),
                       code_span(changed.before),
                       changed.default_before ? " (default)" : "",
                       code_span(changed.after),
                       changed.default_after ? " (default)" : "");
  }
  add_list("introduced", difference.introduced, out);
  add_list("introduced, but accepted", difference.waived, out);
  add_list("removed", difference.removed, out);
  add_list("accepted now", difference.accepted, out);
  if (!difference.wanted.empty()) {
    out += "\n**Also requested, but not changed**\n\n";
  }
  for (const diff::Wanted& wanted : difference.wanted) {
    out += fmt::format("* {} ({})\n", code_span(assignment(wanted)), wanted.rule);
  }
  if (!difference.coupled.empty()) {
    out += fmt::format("\nNot changed, but read by the new findings: `{}`\n",
                       fmt::join(difference.coupled, "`, `"));
  }
  out += "\n";
  for (const std::string& line : predicted(recipes)) {
    out += fmt::format("* {}\n", markdown(line));
  }
  return out;
}

std::string diff_text(const OneSided& recipe) {
  std::string out =
      one_line(fmt::format("{}: {}", recipe.path, recipe.added ? "added" : "removed"));
  for (const std::string& sentence : told_of(recipe)) {
    out += one_line(fmt::format("{} {}", recipe.path, sentence));
  }
  add_told_findings("introduced:", recipe.introduced, out);
  return out;
}

std::string diff_markdown(const OneSided& recipe) {
  std::string out = fmt::format(
      "### epwise: {} is {}\n", code_span(recipe.path), recipe.added ? "added" : "removed");
  add_list("introduced", recipe.introduced, out);
  const std::vector<std::string> sentences = told_of(recipe);
  out += sentences.empty() ? "" : "\n";
  for (const std::string& sentence : sentences) {
    out += fmt::format("* {}\n", markdown(sentence));
  }
  return out;
}

namespace {

Json told_v1(const std::vector<diff::Told>& findings) {
  Json json = Json::array();
  for (const diff::Told& each : findings) {
    json.push_back({{"rule", each.rule},
                    {"severity", lint::to_string(each.severity)},
                    {"message", each.message}});
  }
  return json;
}

Json range_v1(const sim::Range& range) {
  return {{"value", range.value}, {"low", range.low}, {"high", range.high}};
}

Json prediction_v1(const sim::Prediction& prediction) {
  return {{"step_time", range_v1(prediction.step_time)},
          {"memory", range_v1(prediction.needed_memory)}};
}

Json sentence_or_null(const std::string& sentence) {
  return sentence.empty() ? Json(nullptr) : Json(sentence);
}

}  // namespace

std::string diff_json(const RecipeDifference& recipes) {
  Json changed = Json::array();
  for (const diff::Changed& each : recipes.difference.changed) {
    changed.push_back({{"field", each.field},
                       {"before", each.before},
                       {"after", each.after},
                       {"effect", diff::to_string(each.effect)},
                       {"about", each.about},
                       {"rules", each.rules}});
  }
  Json wanted = Json::array();
  for (const diff::Wanted& each : recipes.difference.wanted) {
    wanted.push_back({{"field", each.field}, {"value", each.value}, {"rule", each.rule}});
  }
  Json json = {{"schema", "epwise.diff/1"},
               {"before", recipes.before},
               {"after", recipes.after},
               {"target", recipes.target},
               {"changed", std::move(changed)},
               {"introduced", told_v1(recipes.difference.introduced)},
               {"removed", told_v1(recipes.difference.removed)},
               {"wanted", std::move(wanted)},
               {"coupled", recipes.difference.coupled},
               {"stopped",
                {{"before", sentence_or_null(recipes.stopped_before)},
                 {"after", sentence_or_null(recipes.stopped_after)}}},
               {"predicted", nullptr}};
  if (!recipes.target_before.empty()) {
    json["target_before"] = recipes.target_before;
  }
  if (!recipes.difference.waived.empty()) {
    json["introduced_accepted"] = told_v1(recipes.difference.waived);
  }
  if (!recipes.difference.accepted.empty()) {
    json["accepted"] = told_v1(recipes.difference.accepted);
  }
  if (recipes.predicted_before && recipes.predicted_after) {
    json["predicted"] = {{"before", prediction_v1(*recipes.predicted_before)},
                         {"after", prediction_v1(*recipes.predicted_after)}};
    if (recipes.comparison) {
      const sim::Range& speedup = recipes.comparison->speedup;
      const double tokens = recipes.comparison->tokens;
      json["predicted"]["step_time_ratio"] =
          range_v1({tokens / speedup.value, tokens / speedup.high, tokens / speedup.low});
      if (tokens != 1) {
        json["predicted"]["tokens_ratio"] = rounded(tokens);
      }
      json["predicted"]["verdict"] = recipes.comparison->verdict == sim::Verdict::too_close
                                         ? "too_close"
                                     : recipes.comparison->verdict == sim::Verdict::b ? "faster"
                                                                                      : "slower";
    }
  }
  return json_text(json);
}

std::string diff_json(const OneSided& recipe) {
  const Json json = {{"schema", "epwise.diff/1"},
                     {"path", recipe.path},
                     {"only", recipe.added ? "added" : "removed"},
                     {"introduced", told_v1(recipe.introduced)},
                     {"stopped", sentence_or_null(recipe.stopped)},
                     {"named_by", recipe.named_by}};
  return json_text(json);
}

std::string diffs_json(const std::vector<std::string>& pairs) {
  constexpr std::string_view kDeeper = "    ";
  std::string text = "{\n  \"schema\": \"epwise.diffs/1\",\n  \"recipes\": [";
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    text += i == 0 ? "\n" : ",\n";
    text += kDeeper;
    const std::string_view pair = std::string_view(pairs[i]).substr(0, pairs[i].size() - 1);
    for (const char c : pair) {  // inside of a string a line feed is written as \\n
      text += c;
      text += c == '\n' ? kDeeper : "";
    }
  }
  return text + "\n  ]\n}\n";
}

}  // namespace epwise::report
