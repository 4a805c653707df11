#include "recipe/overrides/word_choices.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "expr/python_text.h"
#include "text/spelling.h"

namespace epwise::recipe {
namespace {

constexpr std::size_t kShown = 8;  // words; what is longer (signals, tokenizers) is not listed

bool is_none_of(const expr::Value& value, const std::vector<std::string_view>& choices) {
  const bool word = value.text() != nullptr || (value.is_number() && value.boolean() == nullptr);
  return word &&
         std::find(choices.begin(), choices.end(), expr::python_text(value)) == choices.end();
}

/// "a", "a and b", "a, b and c"
std::string enumerate(const std::vector<std::string_view>& words) {
  const std::size_t last = words.size() - 1;
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += i == 0 ? "" : i == last ? " and " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace

std::optional<std::string> unknown_word(const expr::Value& value,
                                        const std::vector<std::string_view>& choices) {
  if (choices.empty()) {
    return std::nullopt;
  }
  const auto* list = value.list();
  if (list == nullptr) {
    return is_none_of(value, choices) ? std::optional(expr::python_text(value)) : std::nullopt;
  }
  for (const expr::Value& item : *list) {
    if (is_none_of(item, choices)) {
      return expr::python_text(item);
    }
  }
  return std::nullopt;
}

std::vector<text::Diagnostic> check_words(const std::vector<TypedScalar>& scalars,
                                          std::string_view version) {
  std::vector<text::Diagnostic> found;
  for (const TypedScalar& scalar : scalars) {
    const auto word =
        scalar.spec == nullptr ? std::nullopt : unknown_word(scalar.value, scalar.spec->choices);
    if (!word) {
      continue;
    }
    const auto& choices = scalar.spec->choices;
    const std::string known =
        choices.size() <= kShown
            ? fmt::format(", but Megatron-Bridge {} knows only {}", version, enumerate(choices))
            : fmt::format(", which Megatron-Bridge {} does not know", version);
    found.push_back(
        {"recipe/unknown-word",
         scalar.mark,
         fmt::format(
             "`{}` is `{}`{}{}", scalar.path, *word, known, text::did_you_mean(*word, choices)),
         {},
         "correct the spelling"});
  }
  return found;
}

}  // namespace epwise::recipe
