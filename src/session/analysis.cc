#include "session/analysis.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/os/files.h"
#include "base/text/count.h"
#include "lint/facts/target.h"
#include "lint/rule.h"
#include "recipe/trainers/trainer_facts.h"
#include "session/memory.h"
#include "session/target/resolution.h"
#include "suppress/suppressions.h"

namespace epwise::session {

namespace {

using os::MissingError;
using os::UsageError;

/// Diagnostics that any readable text may get, whatever it holds.
bool says_nothing_of_content(const text::Diagnostic& diagnostic) {
  constexpr std::array<std::string_view, 4> kRules = {
      "recipe/unrecognized", "yaml/empty", "yaml/unused-anchor", "yaml/byte-order-mark"};
  return std::ranges::find(kRules, diagnostic.rule) != kRules.end();
}

/// Whether a text that is not YAML, such as a Helm template, has a word that only recipes have.
bool mentions_a_recipe(const recipe::Recipe& recipe) {
  constexpr std::array<std::string_view, 7> kWords = {"MODEL_ARGS",
                                                      "model_parallel_size",
                                                      "num_moe_experts",
                                                      "micro_batch_size",
                                                      "moe_token_dispatcher_type",
                                                      "num_layers",
                                                      "megatron"};
  return std::ranges::any_of(recipe.files, [&](const auto& file) {
    return std::ranges::any_of(kWords, [&](std::string_view word) {
      return file->bytes().find(word) != std::string_view::npos;
    });
  });
}

recipe::Request request_with(const Document& document, const Draft& draft) {
  recipe::Request request = document.request;
  request.words = draft.words;
  if (request.file) {
    yaml::ParsedText text = document.text_of(draft);
    request.file = std::move(text.file);
    request.stream = std::move(text.stream);
  }
  return request;
}

suppress::Circumstances circumstances_of(const Analysis& analysis) {
  return {analysis.knowledge(), *analysis.target, analysis.document->acceptance.today};
}

/// Severities before the baseline: an entry is found again whatever a finding weighs.
void apply_settings(Analysis& analysis) {
  const Acceptance& acceptance = analysis.document->acceptance;
  if (acceptance.severities) {
    acceptance.severities->apply(analysis.result);
  }
  if (acceptance.baseline) {
    analysis.known = acceptance.baseline->accept(*analysis.recipe, analysis.result);
  }
}

void run_rules(Analysis& analysis) {
  const recipe::Recipe& recipe = *analysis.recipe;
  const auto& vocabulary =
      analysis.document->vocabulary(*analysis.target, recipe.framework, recipe.model_class);
  analysis.result =
      lint::lint(recipe, vocabulary, *analysis.target, analysis.knowledge(), analysis.selection());
  check_memory(analysis);
}

/// A changed recipe or target: comments are not judged anew, only applied.
void lint_again(Analysis& analysis) {
  if (analysis.recipe == nullptr) {
    return;
  }
  run_rules(analysis);
  if (analysis.document->acceptance.comments) {
    suppress::Suppressions().accept(*analysis.recipe, circumstances_of(analysis), analysis.result);
  }
  apply_settings(analysis);
}

Analysis fresh(const std::shared_ptr<const Document>& document,
               std::size_t place,
               recipe::Recipe recipe) {
  Analysis analysis;
  analysis.document = document;
  analysis.place = place;
  analysis.recipe = std::make_shared<const recipe::Recipe>(std::move(recipe));
  analysis.target = std::make_shared<const facts::Target>(
      facts::with_launcher(document->target, *analysis.recipe));
  return analysis;
}

}  // namespace

const recipe::Vocabulary& Analysis::vocabulary_of(const recipe::Recipe& other) const {
  return other.vocabulary ? *other.vocabulary
                          : document->vocabulary(*target, other.framework, other.model_class);
}

lint::Severity Analysis::severity_of(const lint::Rule& rule) const {
  const auto& severities = document->acceptance.severities;
  return severities ? severities->of(rule, rule.severity) : rule.severity;
}

facts::Facts Analysis::facts() const {
  return {*recipe, vocabulary(), *target, knowledge().names, knowledge().derived};
}

Analysis Analysis::read(Draft changed) const {
  Analysis next;
  next.document = document;
  next.place = place;
  next.target = target;
  auto recipes = document->load(request_with(*document, changed), *target);
  next.draft = std::move(changed);
  if (place < recipes.size()) {
    next.recipe = std::make_shared<const recipe::Recipe>(std::move(recipes[place]));
  }
  return next;
}

Analysis Analysis::with(Draft changed) const {
  Analysis next = read(std::move(changed));
  lint_again(next);
  return next;
}

Analysis Analysis::on(const facts::Target& other) const {
  Analysis next;
  next.document = document;
  next.place = place;
  next.draft = draft;
  next.target = std::make_shared<const facts::Target>(other);
  next.recipe = recipe;
  if (versions_of(other.stack) != versions_of(target->stack)) {
    recipe::Request request = request_with(*document, draft);
    request.environment = other.environment;
    auto recipes = document->load(request, other);
    next.recipe = place < recipes.size()
                      ? std::make_shared<const recipe::Recipe>(std::move(recipes[place]))
                      : nullptr;
  }
  lint_again(next);
  return next;
}

std::vector<Analysis> analyze(const std::shared_ptr<const Document>& document,
                              const std::function<void(Analysis&)>& more) {
  auto recipes = document->load(document->request, document->target);
  const int number = document->choice.number;
  if (number > static_cast<int>(recipes.size())) {
    throw MissingError(
        fmt::format("{} contains no recipe {}, only {}", document->path, number, recipes.size()));
  }
  const Draft draft = document->draft();
  std::vector<Analysis> analyses;
  for (std::size_t i = 0; i < recipes.size(); ++i) {
    if (number == 0 || i + 1 == static_cast<std::size_t>(number)) {
      analyses.push_back(fresh(document, i, std::move(recipes[i])));
      analyses.back().draft = draft;
    }
  }
  suppress::Suppressions waivers;
  std::vector<std::pair<const recipe::Recipe*, lint::Result*>> results;
  for (Analysis& analysis : analyses) {
    run_rules(analysis);
    if (more && analysis.recipe->readable) {
      more(analysis);
    }
    if (document->acceptance.comments) {
      waivers.accept(*analysis.recipe, circumstances_of(analysis), analysis.result);
    }
    results.emplace_back(analysis.recipe.get(), &analysis.result);
  }
  waivers.report(document->selection, *document->knowledge, results);
  for (Analysis& analysis : analyses) {
    apply_settings(analysis);
  }
  return analyses;
}

namespace {

/// ", #1 of verl (actor) and #2 of verl (ref)"; empty if they have no names.
std::string names_of(const std::vector<Analysis>& analyses) {
  std::vector<std::string> names;
  for (const Analysis& each : analyses) {
    const std::string name = each.recipe == nullptr ? "" : recipe::trainer_name(*each.recipe);
    if (name.empty()) {
      return "";
    }
    names.push_back(fmt::format("#{} of {}", names.size() + 1, name));
  }
  return ", " + text::listed(names);
}

}  // namespace

Analysis analyze_one(const std::shared_ptr<const Document>& document) {
  return only_one(analyze(document), document->path);
}

Analysis only_one(std::vector<Analysis> analyses, const std::string& path) {
  if (analyses.size() > 1) {
    const std::string names = names_of(analyses);
    const std::size_t all = analyses.size();
    std::erase_if(analyses, [](const Analysis& each) {
      return each.recipe != nullptr && !recipe::takes_steps(*each.recipe);
    });
    if (analyses.size() != 1) {
      throw UsageError(fmt::format(
          "{0} contains {1} recipes{2}: name one of them, for example {0}#1", path, all, names));
    }
  }
  check_readable(analyses.front());
  return std::move(analyses.front());
}

void check_same_number(const std::vector<Analysis>& a, const std::vector<Analysis>& b) {
  if (a.size() == b.size()) {
    return;
  }
  const bool is_first = a.size() > 1;  // the file of which one has to be named
  const std::string& path = (is_first ? a : b).front().document->path;
  throw UsageError(fmt::format("{} against {}: name one of {}, for example {}#2",
                               text::counted(a.size(), "recipe"),
                               b.size(),
                               path,
                               path));
}

void check_readable(const Analysis& analysis) {
  if (analysis.recipe->readable) {
    return;
  }
  std::string why;
  if (const auto& found = analysis.recipe->diagnostics; !found.empty()) {
    const text::Mark& place = found.front().mark;
    why = (place.nowhere() ? ": " : fmt::format(": line {}: ", place.start().line)) +
          found.front().message;
  }
  throw MissingError(fmt::format("cannot read {} as a recipe{}", analysis.recipe->path, why));
}

bool is_not_a_recipe(const std::vector<Analysis>& analyses) {
  return std::ranges::all_of(analyses, [](const Analysis& analysis) {
    const recipe::Recipe& recipe = *analysis.recipe;
    const auto is_of_text = [](const text::Diagnostic& diagnostic) {
      return says_nothing_of_content(diagnostic) || diagnostic.rule.starts_with("yaml/") ||
             diagnostic.rule == "recipe/template";
    };
    return !recipe.readable &&
           (std::ranges::all_of(recipe.diagnostics, says_nothing_of_content) ||
            (std::ranges::all_of(recipe.diagnostics, is_of_text) && !mentions_a_recipe(recipe)));
  });
}

namespace {

bool is_reported_error(const lint::Finding& finding) {
  return finding.severity == lint::Severity::error && !finding.rule->preview;
}

}  // namespace

bool is_error(const lint::Finding& finding) {
  return is_reported_error(finding) && !lint::is_predicted(*finding.rule);
}

int count_errors(const lint::Result& result) {
  return static_cast<int>(std::ranges::count_if(result.findings, is_error));
}

int count_reported_errors(const lint::Result& result) {
  return static_cast<int>(std::ranges::count_if(result.findings, is_reported_error));
}

bool fails(const lint::Result& result, const Threshold& threshold) {
  const auto counts = [&threshold](const lint::Finding& finding) {
    const bool heavy = threshold.fail_on && finding.severity >= *threshold.fail_on;
    const bool unwanted = finding.severity >= lint::Severity::warning && threshold.effect &&
                          finding.rule->effect == *threshold.effect;
    return (heavy || unwanted) && !finding.rule->preview;
  };
  const auto is_undecided = [](const lint::Open& open) { return !open.rule->preview; };
  return std::ranges::any_of(result.findings, counts) ||
         (threshold.strict && std::ranges::any_of(result.open, is_undecided));
}

}  // namespace epwise::session
