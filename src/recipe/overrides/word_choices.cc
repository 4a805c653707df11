#include "recipe/overrides/word_choices.h"

#include <algorithm>
#include <cstddef>
#include <utility>

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

std::optional<text::Diagnostic> check_word(const expr::Value& value,
                                           const FieldSpec& spec,
                                           std::string_view path,
                                           const text::Mark& mark,
                                           std::string_view framework) {
  const auto word = unknown_word(value, spec.choices);
  if (!word) {
    return std::nullopt;
  }
  const std::string known =
      spec.choices.size() <= kShown
          ? fmt::format(", but {} knows only {}", framework, enumerate(spec.choices))
          : fmt::format(", which {} does not know", framework);
  return text::Diagnostic{
      "recipe/unknown-word",
      mark,
      fmt::format("`{}` is `{}`{}{}", path, *word, known, text::did_you_mean(*word, spec.choices)),
      {},
      "correct the spelling"};
}

std::vector<text::Diagnostic> check_words(const std::vector<TypedScalar>& scalars,
                                          std::string_view version) {
  const std::string framework = fmt::format("Megatron-Bridge {}", version);
  std::vector<text::Diagnostic> found;
  for (const TypedScalar& scalar : scalars) {
    if (scalar.spec == nullptr) {
      continue;
    }
    if (auto diagnostic =
            check_word(scalar.value, *scalar.spec, scalar.path, scalar.mark, framework)) {
      found.push_back(std::move(*diagnostic));
    }
  }
  return found;
}

}  // namespace epwise::recipe
