#include "lint/field_spelling.h"

#include <algorithm>

#include "recipe/trainers/trainer_facts.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::lint {

namespace {

using recipe::Flag;

/// The flag that people write for an attribute: the first long one; with `wanted`, the one that
/// stores that truth value.
const Flag* flag_of(std::string_view attribute,
                    const recipe::Vocabulary& vocabulary,
                    std::optional<bool> wanted) {
  for (const auto& flag : vocabulary.flags()) {
    if (flag.attribute != attribute) {
      continue;
    }
    const bool fits = !wanted || (flag.action == Flag::Action::store_true && *wanted) ||
                      (flag.action == Flag::Action::store_false && !*wanted);
    if (fits) {
      return &flag;
    }
  }
  return nullptr;
}

std::string_view long_spelling(const Flag& flag) {
  const auto found = std::ranges::find_if(
      flag.spellings, [](std::string_view spelling) { return spelling.starts_with("--"); });
  return found == flag.spellings.end() ? flag.spellings.front() : *found;
}

/// What the recipe says about a name; several Bridge fields can be one argument of Megatron-LM.
const recipe::Field* written(std::string_view name, const model::Facts& facts) {
  const auto* spec = facts.vocabulary().find(name);
  return facts.recipe().find(spec == nullptr ? name : spec->name);
}

/// The flag that somebody wrote, or would write; null pointer for what is none.
const Flag* flag_called(std::string_view spelling, const recipe::Vocabulary& vocabulary) {
  const auto& flags = vocabulary.flags();
  const auto found = std::ranges::find_if(flags, [&](const Flag& flag) {
    return std::ranges::find(flag.spellings, spelling) != flag.spellings.end();
  });
  return found == flags.end() ? nullptr : &*found;
}

bool is_mlm(const model::Facts& facts) {
  return facts.recipe().framework == recipe::Framework::mlm;
}

}  // namespace

std::string spelling(std::string_view name, const model::Facts& facts) {
  if (const auto* field = written(name, facts)) {
    return field->spelling;
  }
  if (const auto* spec = facts.vocabulary().find(name)) {
    if (!is_mlm(facts)) {
      return facts.recipe().path_of(name);
    }
    const auto* flag = flag_of(spec->attribute, facts.vocabulary(), std::nullopt);
    return flag == nullptr ? std::string(spec->attribute) : std::string(long_spelling(*flag));
  }
  for (const std::string_view group : {"d.", "env.", "stack.", "hw."}) {
    if (name.starts_with(group)) {
      return std::string(group == "hw." ? name : name.substr(group.size()));
    }
  }
  return std::string(name);
}

std::string value_name(std::string_view name, const model::Facts& facts) {
  std::string spelled = spelling(name, facts);
  const auto* spec = facts.vocabulary().find(name);
  const auto* flag = flag_called(spelled, facts.vocabulary());
  if (spec == nullptr || flag == nullptr) {
    return spelled;
  }
  const bool off = flag->action == Flag::Action::store_false;
  return off == spec->inverted
             ? spelled
             : std::string(name.substr(name.find('.') + 1)) + " (" + spelled + ")";
}

std::string plain_name(std::string_view name, std::string_view meaning) {
  constexpr std::size_t kLongest = 48;
  std::string plain(name.substr(name.find('.') + 1));
  if (!plain.empty() && plain.front() >= 'A' && plain.front() <= 'Z') {
    return plain;
  }
  const auto words = meaning.substr(0, meaning.find_first_of(";,:("));
  if (!words.empty() && words.size() <= kLongest) {
    return std::string(words);
  }
  std::ranges::replace(plain, '_', ' ');
  return plain;
}

std::string pointer(std::string_view name, const model::Facts& facts) {
  const auto* field = written(name, facts);
  if (is_mlm(facts)) {
    return field == nullptr ? std::string() : "/MODEL_ARGS/" + field->spelling;
  }
  std::string all = "/" + facts.recipe().path_of(name);
  std::ranges::replace(all, '.', '/');
  return all;
}

text::Mark place(std::string_view name, const model::Facts& facts) {
  const auto& recipe = facts.recipe();
  if (const auto* field = written(name, facts)) {
    return field->mark;
  }
  if (name.starts_with("env.")) {
    const auto variable = recipe.variables.find(name.substr(4));
    return variable == recipe.variables.end() ? text::Mark{} : variable->second.mark;
  }
  return {};
}

SpelledEdit spell_edit(std::string_view field,
                       const expr::Value* value,
                       const model::Facts& facts) {
  SpelledEdit spelled;
  spelled.edit.mark = place(field, facts);
  spelled.edit.field = spelling(field, facts);
  spelled.edit.value = value == nullptr ? std::string() : value->to_text();
  spelled.edit.name = field;
  spelled.edit.target = value == nullptr ? expr::Value() : *value;
  spelled.edit.remove = value == nullptr;
  if (field.starts_with("env.")) {
    return spelled;
  }
  const auto* spec = facts.vocabulary().find(field);
  const bool placed = is_mlm(facts) || !recipe::has_trainer(facts.recipe()) ||
                      !recipe::trainer_path(facts.recipe(), field).empty();
  const auto* said = written(field, facts);
  spelled.known = (spec != nullptr && placed) || (said != nullptr && !said->key.nowhere());
  const auto* truth = value == nullptr ? nullptr : value->boolean();
  if (spec == nullptr || !is_mlm(facts)) {
    return spelled;
  }
  const auto* list = value == nullptr ? nullptr : value->list();
  if (list != nullptr && list->empty()) {  // no flag of Megatron-LM takes an empty list
    spelled.edit.value.clear();
    spelled.edit.remove = true;
    return spelled;
  }
  if (truth == nullptr) {
    return spelled;
  }
  const bool stored = spec->inverted ? !*truth : *truth;
  if (const auto* flag = flag_of(spec->attribute, facts.vocabulary(), stored)) {
    spelled.edit.field = long_spelling(*flag);
    spelled.edit.value = "true";
  } else {
    spelled.edit.value.clear();  // no flag says so: the one that says the opposite has to go
    spelled.edit.remove = true;
  }
  return spelled;
}

}  // namespace epwise::lint
