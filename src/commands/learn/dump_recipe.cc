#include "commands/learn/dump_recipe.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "recipe/vocabulary/vocabulary.h"
#include "yaml/literal.h"

namespace epwise::cli {

namespace {

using recipe::Flag;

/// Python's text of an enumeration's member, a data type or a list of them → the word of the flag:
/// "AttnBackend.auto" → "auto", "[<CudaGraphScope.attn: 2>]" → "['attn']", "torch.bfloat16" →
/// "bf16".
std::string word_of(std::string value) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTypes = {
      {{"torch.float32", "fp32"},
       {"torch.bfloat16", "bf16"},
       {"torch.float16", "fp16"},
       {"torch.uint8", "fp8"}}};
  for (const auto& [torch, word] : kTypes) {
    if (value == torch) {
      return std::string(word);
    }
  }
  for (std::size_t at = value.find('<'); at != std::string::npos; at = value.find('<', at)) {
    const std::size_t dot = value.find('.', at);
    const std::size_t colon = value.find(':', at);
    const std::size_t end = value.find('>', at);
    if (dot == std::string::npos || colon == std::string::npos || end == std::string::npos ||
        colon < dot || end < colon) {
      break;
    }
    value.replace(at, end + 1 - at, "'" + value.substr(dot + 1, colon - dot - 1) + "'");
  }
  const std::size_t dot = value.find('.');
  const bool member = dot != std::string::npos && dot > 0 && dot + 1 < value.size() &&
                      std::isupper(static_cast<unsigned char>(value[0])) != 0 &&
                      std::isalpha(static_cast<unsigned char>(value[dot + 1])) != 0 &&
                      value.find_first_of(" /[") == std::string::npos;
  return member ? value.substr(dot + 1) : value;
}

/// "--recompute-modules: ['moe_act']\n"; "" if the flag would not be given.
std::string flag_line(const Flag& flag, const std::string& value) {
  const std::string_view spelling = flag.spellings.front();
  switch (flag.action) {
    case Flag::Action::store_true:
      return value == "True" ? fmt::format("  {}: true\n", spelling) : "";
    case Flag::Action::store_false:
      return value == "False" ? fmt::format("  {}: true\n", spelling) : "";
    case Flag::Action::store:
      break;
    default:
      return "";
  }
  if (value == "None" || value.empty() || value == "[]") {
    return "";
  }
  const std::string word = word_of(value);
  const bool list = word.front() == '[' && flag.values != Flag::Values::one;
  return fmt::format(
      "  {}: {}\n", spelling, list ? word : yaml::render_text(word, yaml::Quote::twofold));
}

bool is_default(const recipe::Vocabulary& vocabulary,
                const std::string& attribute,
                const std::string& value) {
  const recipe::FieldSpec* const field = vocabulary.find_attribute(attribute);
  const auto same = [&value](const std::string& text) {
    return text == value || (text == "null" && value == "None") ||
           (text == "true" && value == "True") || (text == "false" && value == "False");
  };
  return field != nullptr && !field->inverted && field->has_default &&
         same(field->default_value.to_text());
}

std::string argument_of(const calibrate::LoggedRun& run, std::string_view name) {
  for (const auto& [attribute, value] : run.arguments) {
    if (attribute == name) {
      return value;
    }
  }
  return "None";
}

}  // namespace

int gpus_of_dump(const calibrate::LoggedRun& run) {
  const std::string text = argument_of(run, "world_size");
  int gpus = 0;
  std::from_chars(text.data(), text.data() + text.size(), gpus);
  return std::max(0, gpus);
}

std::string recipe_of_dump(const calibrate::LoggedRun& run, const std::string& version) {
  if (run.arguments.empty()) {
    return run.configuration;
  }
  const recipe::Vocabulary vocabulary =
      recipe::Vocabulary::load(recipe::Framework::mlm, version.empty() ? "head" : version);
  std::string text = "MODEL_ARGS:\n";
  const bool padded = argument_of(run, "vocab_size") == "None";
  for (const auto& [attribute, value] : run.arguments) {
    if (padded && attribute == "padded_vocab_size" && value != "None") {
      text += fmt::format("  --vocab-size: {}\n", value);
      continue;
    }
    if (is_default(vocabulary, attribute, value)) {
      continue;
    }
    for (const Flag& flag : vocabulary.flags()) {
      const std::string line = flag.attribute == attribute ? flag_line(flag, value) : std::string();
      if (!line.empty()) {
        text += line;
        break;
      }
    }
  }
  return text;
}

}  // namespace epwise::cli
