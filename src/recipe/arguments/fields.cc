#include "recipe/arguments/fields.h"

#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace epwise::recipe {

using expr::Value;

Value text_list(const std::vector<std::string>& texts) {
  Value::List items;
  items.reserve(texts.size());
  for (const std::string& text : texts) {
    items.push_back(Value::of(text));
  }
  return Value::of(std::move(items));
}

Parser parser_of(const Vocabulary& vocabulary) {
  Parser parser;
  for (const Flag& flag : vocabulary.flags()) {
    parser.flags.push_back(&flag);
  }
  parser.history = [&vocabulary](std::string_view spelling) {
    return vocabulary.history(spelling);
  };
  parser.program = fmt::format("Megatron-LM {}", vocabulary.version());
  return parser;
}

void add_arguments(Recipe& recipe, Arguments arguments, const Vocabulary& vocabulary) {
  for (auto& [attribute, argument] : arguments.values) {
    const FieldSpec* spec = vocabulary.find_attribute(attribute);
    Field field;
    field.name = spec != nullptr ? std::string(spec->name) : "mlm." + attribute;
    field.value = std::move(argument.value);
    if (spec != nullptr && spec->inverted && field.value.boolean() != nullptr) {
      field.value = Value::of(!*field.value.boolean());
    }
    field.key = argument.key;
    field.mark = argument.mark;
    field.origin = argument.origin;
    field.spelling = std::move(argument.spelling);
    std::string name = field.name;
    recipe.fields.insert_or_assign(std::move(name), std::move(field));
  }
  recipe.raw["raw.unknown_flags"] = text_list(arguments.unknown_flags);
  recipe.raw["raw.stray_words"] = text_list(arguments.stray_words);
  recipe.raw["raw.bad_choice"] =
      arguments.bad_choice.empty() ? Value::unset() : Value::of(std::move(arguments.bad_choice));
  std::move(arguments.diagnostics.begin(),
            arguments.diagnostics.end(),
            std::back_inserter(recipe.diagnostics));
}

}  // namespace epwise::recipe
