/// Comments that accept findings, in any recipe or script. The first byte chooses: comments alone
/// ('c' in YAML, 's' in a script), or the whole way of a recipe ('l'). What must hold: every place,
/// also of what is removed, lies in the text, a comment that counts names rules and gives a reason, and accepting neither
/// loses findings nor makes any; a file that is no readable recipe accepts nothing.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/embedded/embedded.h"
#include "lint/engine.h"
#include "lint/knowledge.h"
#include "recipe/load.h"
#include "recipe/vocabulary/vocabulary.h"
#include "support/fuzz_target.h"
#include "support/head_vocabulary.h"
#include "support/require.h"
#include "suppress/comment.h"
#include "suppress/condition.h"
#include "suppress/suppressions.h"
#include "yaml/parse.h"

namespace {

using epwise::lint::Result;
using epwise::recipe::Framework;
using epwise::recipe::Recipe;
using epwise::recipe::Vocabulary;
using epwise::support::head_vocabulary;
using epwise::support::require;
using epwise::text::Mark;

void check_inside(const Mark& mark, const epwise::text::SourceFile& file) {
  require(mark.begin <= mark.end && mark.end <= file.bytes().size());
}

void check_comments(const epwise::text::SourceFile& file, bool script) {
  const epwise::yaml::Stream stream = script ? epwise::yaml::Stream() : epwise::yaml::parse(file);
  const auto scalars = epwise::suppress::scalars_of(stream.documents);
  const auto comments = epwise::suppress::comments_of(file, scalars);
  require(comments.empty() || epwise::suppress::has_comments(file));
  const auto scopes = script ? epwise::suppress::Scopes::in_script(file)
                             : epwise::suppress::Scopes::in_yaml(stream.documents);
  epwise::facts::Target target;
  target.gpus = 16;
  for (const epwise::suppress::Comment& comment : comments) {
    check_inside(comment.mark, file);
    require(!comment.problem.empty() || (!comment.rules.empty() && !comment.reason.empty()));
    const auto scope = scopes.of(comment);
    if (scope) {
      check_inside(*scope, file);
    }
    std::string problem;
    const auto condition = epwise::suppress::parse_condition(comment.condition, problem);
    std::vector<std::string> needs;
    const auto decided = epwise::suppress::holds(condition, target, needs);
    require(decided.has_value() || !needs.empty() || !problem.empty());
  }
}

void check_recipe(const std::shared_ptr<const epwise::text::SourceFile>& file) {
  static const epwise::lint::Knowledge kKnowledge = epwise::lint::load_knowledge();
  epwise::recipe::Request request;
  request.file = file;
  const std::vector<Recipe> recipes = epwise::recipe::load(request, head_vocabulary);
  epwise::facts::Target target;
  target.gpus = 16;
  std::vector<Result> results;
  std::vector<std::pair<const Recipe*, Result*>> all;
  epwise::suppress::Suppressions waivers;
  results.reserve(recipes.size());
  for (const Recipe& recipe : recipes) {
    Result& result = results.emplace_back(
        epwise::lint::lint(recipe, head_vocabulary(recipe.framework), target, kKnowledge));
    const std::size_t found = result.findings.size();
    waivers.accept(recipe, {kKnowledge, target, "2026-11-22"}, result);
    require(result.findings.size() + result.accepted.size() == found);
    require(recipe.readable || result.accepted.empty());
    all.emplace_back(&recipe, &result);
  }
  waivers.report({}, kKnowledge, all);
  for (const Result& result : results) {
    for (const epwise::lint::Accepted& accepted : result.accepted) {
      require(!accepted.reason.empty());
    }
    for (const epwise::lint::Finding& finding : result.findings) {
      for (const epwise::lint::Fix& fix :
           finding.fixes) {  // of comments; others are not tried here
        for (const epwise::lint::Fix::Patch& patch : fix.patches) {
          check_inside(patch.mark, *patch.mark.file);
        }
      }
    }
  }
}

}  // namespace

FUZZ_TARGET(waive) {
  if (size == 0) {
    return 0;
  }
  const auto file = std::make_shared<const epwise::text::SourceFile>(
      data[0] == 's' ? "fuzz.sh" : "fuzz.yaml",
      std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
  check_comments(*file, data[0] == 's');
  if (data[0] == 'l') {
    check_recipe(file);
  }
  return 0;
}
