#include "report/lint/verdict.h"

#include <algorithm>

#include <fmt/format.h>

#include "recipe/framework.h"
#include "recipe/trainers/trainer_facts.h"
#include "report/lint/tally.h"
#include "report/place.h"

namespace epwise::report {

namespace {

/// ", because of batch/indivisible (PAR019)": the finding that stands for the check that fires.
std::string because_of(const lint::Result& result) {
  const auto explained =
      std::ranges::find(result.explained, result.launch.rule, &lint::Explained::rule);
  return explained == result.explained.end()
             ? ""
             : fmt::format(", because of {} ({})", explained->by->id, explained->by->code);
}

/// Errors of what happens behind the start-up checks: ": PAR012, PRC006 and 2 more".
std::string later_errors(const LintedFile& file) {
  constexpr std::size_t kMostNamed = 3;
  std::vector<std::string> codes;
  for (const lint::Finding* finding : shown(file)) {
    const std::string code(finding->rule->code);
    if (finding->severity == lint::Severity::error && !finding->rule->builtin &&
        std::ranges::find(codes, code) == codes.end()) {
      codes.push_back(code);
    }
  }
  if (codes.size() > kMostNamed) {
    const std::size_t more = codes.size() - kMostNamed;
    codes.resize(kMostNamed);
    codes.push_back(fmt::format("{} more", more));
  }
  return listed(codes);
}

/// ", accepted by known.yaml": what the launch stumbles over was a finding, until the user's word.
std::string accepted_by(const lint::Result& result) {
  const auto is_it = [&result](const lint::Accepted& accepted) {
    return accepted.finding.rule == result.launch.rule || accepted.finding.rule == result.root;
  };
  const auto found = std::ranges::find_if(result.accepted, is_it);
  return found == result.accepted.end() ? "" : fmt::format(", accepted by {}", found->source);
}

/// A framework around Megatron, which brings a Megatron-Core that nobody named.
bool is_unsettled(const LintedFile& file) {
  return file.recipe != nullptr && recipe::has_trainer(*file.recipe) && file.result.version_assumed;
}

/// "verl (actor) on any Megatron-Core (say --stack bridge=VERSION)"
std::string trainer_text(const LintedFile& file) {
  const recipe::Recipe& recipe = *file.recipe;
  const std::string core =
      is_unsettled(file)
          ? fmt::format("any Megatron-Core (say --stack {}=VERSION)",
                        recipe.framework == recipe::Framework::bridge ? "bridge" : "mcore")
          : fmt::format("the Megatron-Core of {}", recipe::title(recipe.framework));
  return fmt::format("{} on {}", recipe::trainer_name(recipe), core);
}

}  // namespace

std::string verdict_text(const LintedFile& file) {
  if (!is_readable(file)) {
    return "not checked: it holds no recipe that can be read";
  }
  const lint::Launch& launch = file.result.launch;
  const std::string stage =
      launch.stage.empty() ? std::string() : fmt::format(" at stage {}", launch.stage);
  switch (launch.verdict) {
    case lint::Verdict::starts: {
      const std::string later = later_errors(file);
      return later.empty() ? "starts"
                           : fmt::format("passes the start-up checks, and fails later: {}", later);
    }
    case lint::Verdict::rejects:
      if (launch.rule == nullptr) {
        return fmt::format("would not start: {}{}", launch.crash, stage);
      }
      if (const auto* root = file.result.root) {
        return fmt::format("would not start: {} ({}), by way of {} ({}){}{}",
                           root->id,
                           root->code,
                           launch.rule->id,
                           launch.rule->code,
                           stage,
                           accepted_by(file.result));
      }
      return fmt::format("would not start: {} ({}){}{}{}{}",
                         launch.rule->id,
                         launch.rule->code,
                         stage,
                         launch.crash.empty() ? "" : ", " + launch.crash,
                         because_of(file.result),
                         accepted_by(file.result));
    case lint::Verdict::undecided:
      break;
  }
  if (launch.needs.empty()) {
    return "launch undecided" + stage;
  }
  return fmt::format("launch undecided, needs {}", listed(launch.needs));
}

std::string stopped_text(const LintedFile& file) {
  if (is_readable(file) && file.result.launch.verdict != lint::Verdict::rejects) {
    const std::string later = later_errors(file);
    if (later.empty()) {
      return "";
    }
    if (file.result.launch.verdict == lint::Verdict::undecided) {
      return fmt::format("has errors: {}", later);
    }
  }
  return verdict_text(file);
}

std::string version_text(const std::string& tables, const std::string& asked_for) {
  return asked_for.empty() ? tables : fmt::format("{} (by the tables of {})", asked_for, tables);
}

std::string checked_against(const LintedFile& file) {
  std::string text;
  if (!is_readable(file)) {
    return text;
  }
  if (file.recipe != nullptr && recipe::has_trainer(*file.recipe)) {
    text = trainer_text(file);
  } else if (file.recipe != nullptr) {
    text = recipe::title(file.recipe->framework);
  }
  if (!is_unsettled(file) && !file.result.framework_version.empty()) {
    text += " " + version_text(file.result.framework_version, file.result.version_unknown);
    if (file.result.version_unknown.empty() && file.result.version_assumed &&
        file.recipe != nullptr) {
      text += fmt::format(" (assumed; say --stack {}=VERSION)",
                          recipe::to_string(file.recipe->framework));
    }
  }
  if (!file.target.empty()) {
    const bool only_sources = file.target.starts_with('(');
    text += (text.empty() ? "" : only_sources ? " " : ", ") + file.target;
  }
  return text;
}

}  // namespace epwise::report
