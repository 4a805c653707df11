#include "advise/terrain.h"

#include <utility>

#include "repair/change.h"

namespace epwise::advise {

namespace {

std::unique_ptr<Ground> ground_of(const repair::Bench& bench, const recipe::Recipe& recipe) {
  return std::make_unique<Ground>(
      recipe, bench.vocabulary_of(recipe), bench.target, bench.knowledge);
}

}  // namespace

Terrain::Terrain(const repair::Bench& bench, const repair::Draft& draft)
    : bench_(bench),
      draft_(draft),
      recipe_(bench.lint(draft).recipe),
      plain_(ground_of(bench, *recipe_)) {}

Terrain::Sheet Terrain::with_sections(const std::map<std::string, std::string>& fields) const {
  lint::Fix fix;
  const recipe::Vocabulary& vocabulary = bench_.vocabulary_of(*recipe_);
  for (const auto& [section, field] : fields) {
    const auto* spec = vocabulary.find(field);
    Edit edit{field, spec == nullptr ? expr::Value::unset() : spec->default_value, false};
    fix.edits.push_back(plain_->spelled(edit));
  }
  std::string obstacle;
  repair::Draft draft =
      bench_.changed(draft_, repair::change_of(fix, *recipe_, vocabulary), obstacle);
  Sheet sheet;
  if (obstacle.empty()) {
    sheet.recipe = bench_.lint(std::move(draft)).recipe;
  }
  if (sheet.recipe != nullptr && sheet.recipe->readable) {
    sheet.ground = ground_of(bench_, *sheet.recipe);
  }
  return sheet;
}

Ground* Terrain::ground(const Edits& edits) {
  std::set<std::string> sections;
  std::map<std::string, std::string> fields;  // by section, one of its fields that is edited
  for (const Edit& edit : edits) {
    if (!plain_->varies(edit.field) && !edit.drop) {
      const std::string section = edit.field.substr(0, edit.field.find('.'));
      sections.insert(section);
      fields.emplace(section, edit.field);
    }
  }
  if (sections.empty()) {
    return plain_.get();
  }
  auto known = sheets_.find(sections);
  if (known == sheets_.end()) {
    known = sheets_.emplace(std::move(sections), with_sections(fields)).first;
  }
  Ground* ground = known->second.ground.get();
  return ground != nullptr && ground->varies(fields.begin()->second) ? ground : nullptr;
}

}  // namespace epwise::advise
