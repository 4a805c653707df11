#include "recipe/launch/ray_environment.h"

#include <algorithm>
#include <string_view>

#include "yaml/parse.h"

namespace epwise::recipe {
namespace {

using expr::Value;
using Given = shell::Field;

constexpr std::string_view kOption = "--runtime-env-json";

/// Where a word is written: in the text of the field itself, or in that of a variable that it uses.
text::Mark place_of(const Given& field, std::string_view word, const text::Mark& behind) {
  std::vector<text::Mark> texts;
  for (const shell::Piece& piece : field.pieces) {
    texts.push_back(piece.definition);
    texts.push_back(piece.mark);
  }
  texts.push_back(field.mark);
  for (const text::Mark& text : texts) {
    if (text.nowhere() || word.empty()) {
      continue;
    }
    const bool after = behind.file == text.file && behind.end >= text.begin;
    const std::uint32_t begin = after ? std::min(behind.end, text.end) : text.begin;
    const std::size_t at = text.file->bytes().substr(begin, text.end - begin).find(word);
    if (at != std::string_view::npos) {
      text::Mark mark = text;
      mark.begin = begin + static_cast<std::uint32_t>(at);
      mark.end = mark.begin + static_cast<std::uint32_t>(word.size());
      return mark;
    }
  }
  return field.mark;
}

void add_variables(const Given& field,
                   const std::string& json,
                   std::map<std::string, Variable>& variables) {
  const text::SourceFile file("runtime-env", json);
  const yaml::Stream stream = yaml::parse(file);  // every JSON text is YAML too
  const yaml::Node* all =
      stream.documents.empty() ? nullptr : stream.documents.front().root.find("env_vars");
  if (all == nullptr) {
    return;
  }
  for (const yaml::Entry& entry : all->entries) {
    if (!entry.value.is_scalar()) {
      continue;
    }
    Variable variable;
    const std::string& value = entry.value.scalar;
    const bool open = !field.known() && value.find('$') != std::string::npos;
    variable.value = open ? Value::unknown(field.needs()) : Value::of(value);
    variable.key = place_of(field, entry.key, {});
    variable.mark = open ? variable.key : place_of(field, value, variable.key);
    variables.insert_or_assign(entry.key, std::move(variable));
  }
}

}  // namespace

std::map<std::string, Variable> ray_environment(const std::vector<Given>& words) {
  std::map<std::string, Variable> variables;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string text = words[i].text();
    if (text == "--") {
      break;
    }
    if (text == kOption && i + 1 < words.size()) {
      add_variables(words[i + 1], words[i + 1].text(), variables);
    } else if (text.starts_with(kOption) && text.substr(kOption.size()).starts_with('=')) {
      add_variables(words[i], text.substr(kOption.size() + 1), variables);
    }
  }
  return variables;
}

}  // namespace epwise::recipe
