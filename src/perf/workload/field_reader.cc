#include "perf/workload/field_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/core.h>

namespace epwise::workload {

namespace {

using expr::Value;

bool usable(const Value& value) {
  return value.is_known() && !value.is_unset();
}

}  // namespace

int clamped(double number) {
  constexpr double kLimit = kLargest;
  return static_cast<int>(std::clamp(number, -kLimit, kLimit));
}

Value FieldReader::value(std::string_view name) const {
  if (const auto slot = facts_.names().find(name)) {
    return facts_.value(*slot);
  }
  constexpr std::string_view kVariable = "env.";
  if (name.starts_with(kVariable)) {
    return facts::variable_value(facts_.target(), facts_.recipe(), name.substr(kVariable.size()));
  }
  if (name.starts_with("raw.")) {
    const auto fact = facts_.recipe().raw.find(name);
    return fact == facts_.recipe().raw.end() ? Value::unset() : fact->second;
  }
  const auto* spec = facts_.vocabulary().find(name);
  const auto canonical = spec == nullptr ? name : spec->name;
  if (const auto* field = facts_.recipe().find(canonical)) {
    return field->value;
  }
  const bool bridge = facts_.recipe().framework == recipe::Framework::bridge;
  const auto dot = name.find('.');
  if (bridge && dot != std::string_view::npos &&
      !facts_.has_section(name.substr(0, dot)).truthy()) {
    return Value::unset();
  }
  return spec == nullptr ? Value::unset() : spec->default_value;
}

void FieldReader::note_unbound(std::string_view name, const Value& value) const {
  if (value.unknown() == nullptr) {
    return;
  }
  for (const auto& need : value.unknown()->needs) {
    const bool variable = need.starts_with("${");
    const bool computed = !variable && (need.starts_with('$') || need.starts_with('`'));
    if ((variable || computed) && unbound_.insert(need).second) {
      problem(fmt::format("{} is not {}, and {} depends on it",
                          need,
                          variable ? "set" : "known before the script runs",
                          dependent(name)),
              way_out(need, variable));
    }
  }
}

std::string FieldReader::way_out(const std::string& need, bool variable) const {
  if (variable) {
    const bool position = need.size() > 2 && need[2] >= '0' && need[2] <= '9';
    return position ? "replace it with a value" : "set it with --env, or replace it with a value";
  }
  const std::string other = facts_.recipe().variable_instead_of(need);
  return other.empty() ? "replace it with the value that it prints"
                       : fmt::format("pass --env {}=…, or replace it with a value", other);
}

std::string FieldReader::dependent(std::string_view name) const {
  const auto slot = name.starts_with("d.") ? facts_.names().find(name) : std::nullopt;
  const std::string_view meaning = slot ? facts_.meaning(*slot) : std::string_view();
  return meaning.empty() ? spelled(name)
                         : fmt::format("`{}`", meaning.substr(0, meaning.find(';')));
}

void FieldReader::note_unfit(std::string_view name,
                             const Value& value,
                             std::string_view wanted) const {
  if (unfit_.insert(std::string(name)).second) {
    problem(fmt::format("{} is {}, but {} is needed", spelled(name), value.to_text(), wanted),
            fmt::format("correct {}", spelled(name)));
  }
}

std::optional<double> FieldReader::number(std::string_view name) const {
  const auto found = value(name);
  note_unbound(name, found);
  if (!usable(found)) {
    return std::nullopt;
  }
  if (!found.is_number() || !std::isfinite(found.as_number())) {
    note_unfit(name, found, "a number");
    return std::nullopt;
  }
  return found.as_number();
}

std::optional<int> FieldReader::integer(std::string_view name) const {
  const auto found = number(name);
  if (!found) {
    return std::nullopt;
  }
  if (*found != std::floor(*found) || std::abs(*found) > kLargest) {
    note_unfit(name, value(name), "a whole number up to 1e8");
    return std::nullopt;
  }
  return static_cast<int>(*found);
}

std::optional<std::string> FieldReader::text(std::string_view name) const {
  const auto found = value(name);
  note_unbound(name, found);
  return usable(found) && found.text() != nullptr ? std::optional(*found.text()) : std::nullopt;
}

std::vector<std::string> FieldReader::texts(std::string_view name) const {
  const auto found = value(name);
  note_unbound(name, found);
  if (!usable(found)) {
    return {};
  }
  if (found.text() != nullptr) {
    return {*found.text()};
  }
  std::vector<std::string> result;
  if (found.list() != nullptr) {
    for (const auto& item : *found.list()) {
      if (item.text() != nullptr) {
        result.push_back(*item.text());
      }
    }
  }
  return result;
}

bool FieldReader::flag(std::string_view name) const {
  const auto found = value(name);
  note_unbound(name, found);
  return usable(found) && found.truthy();
}

std::optional<bool> FieldReader::boolean(std::string_view name) const {
  const auto found = value(name);
  const bool* known = found.boolean();
  return known == nullptr ? std::nullopt : std::optional(*known);
}

bool FieldReader::is_set(std::string_view name) const {
  return usable(value(name));
}

bool FieldReader::is_of_model(std::string_view name) const {
  const bool loads =
      usable(value("raw.trainer")) && facts_.recipe().framework == recipe::Framework::bridge;
  return loads && name.starts_with("model.") && name != "model.seq_length";
}

int FieldReader::required(std::string_view name, std::string_view what) {
  const auto found = integer(name);
  if (found && *found > 0) {
    return *found;
  }
  const auto shown = value(name);
  if (shown.unknown() != nullptr &&
      std::ranges::any_of(shown.unknown()->needs,
                          [&](const std::string& need) { return unbound_.contains(need); })) {
    return 0;  // said already
  }
  const auto& needs =
      shown.unknown() != nullptr ? shown.unknown()->needs : std::vector<std::string>{};
  const bool target = std::ranges::any_of(
      needs, [](const std::string& need) { return need == "gpus" || need == "hw"; });
  const auto spelling = spelled(name);
  if (usable(shown) && is_written(name)) {
    note_unfit(name, shown, "a whole number above 0");
  } else if (target) {
    problem(fmt::format("{} is unknown", what), fmt::format("pass --{}", needs.front()));
  } else {
    problem(fmt::format("{} is unknown: the recipe has no {}", what, spelling),
            is_of_model(name)
                ? "pass --model-config: the model's config.json, or a public model's name"
                : fmt::format("write {}", spelling));
  }
  return 0;
}

bool FieldReader::is_written(std::string_view name) const {
  if (const auto slot = facts_.names().find(name)) {
    return facts_.is_explicit(*slot).truthy();
  }
  const auto* spec = facts_.vocabulary().find(name);
  return facts_.recipe().find(spec == nullptr ? name : spec->name) != nullptr;
}

InputStatus FieldReader::status(std::string_view name) const {
  return is_written(name) ? InputStatus::written : InputStatus::standard;
}

std::string FieldReader::spelled(std::string_view name) const {
  const auto* spec = facts_.vocabulary().find(name);
  if (facts_.recipe().framework == recipe::Framework::bridge || spec == nullptr) {
    return facts_.recipe().path_of(name);
  }
  for (const auto& flag : facts_.vocabulary().flags()) {
    if (flag.attribute == spec->attribute && !flag.spellings.empty()) {
      return std::string(flag.spellings.front());
    }
  }
  return std::string(spec->attribute);
}

void FieldReader::problem(std::string message, std::string help) const {
  problems_.push_back({.rule = "simulate/missing-input",
                       .mark = facts_.recipe().root,
                       .message = std::move(message),
                       .help = std::move(help)});
}

namespace {

struct Family {
  std::string_view part;  // prefix of the name in lower case
  int tokens;
};

/// The first matching prefix counts: longer names come before their prefixes.
constexpr std::array<Family, 21> kFamilies = {{{"deepseek-v2", 102400},
                                               {"deepseek", 129280},
                                               {"qwen3.5", 248320},
                                               {"qwen3.6", 248320},
                                               {"qwen", 151936},
                                               {"mixtral-8x22b", 32768},
                                               {"mixtral", 32000},
                                               {"gpt-oss", 201088},
                                               {"kimi-k2", 163840},
                                               {"moonlight", 163840},
                                               {"hy3", 120832},
                                               {"glm-5", 154880},
                                               {"glm-4.5", 151552},
                                               {"llama-2", 32000},
                                               {"llama-3", 128256},
                                               {"nemotron-3", 131072},
                                               {"nemotron_2_256k", 256000},
                                               {"128k.vocab", 131072},
                                               {"gpt2", 50257},
                                               {"llama2tokenizer", 32000},
                                               {"tiktokenizer", 131072}}};

std::string small_letters(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

std::optional<int> size_of(const std::string& name) {
  const auto wanted = small_letters(name);
  const auto* const found = std::ranges::find_if(kFamilies, [&](const Family& family) {
    return wanted.find(family.part) != std::string::npos;
  });
  return found == kFamilies.end() ? std::nullopt : std::optional(found->tokens);
}

}  // namespace

VocabularySize read_vocabulary_size(FieldReader& reader) {
  for (const auto* name : {"mlm.padded_vocab_size", "model.vocab_size", "mlm.vocab_size"}) {
    if (const auto written = reader.integer(name); written && *written > 0) {
      return {*written, {}};
    }
  }
  for (const auto* name : {"mlm.tokenizer_model",
                           "tokenizer.tokenizer_model",
                           "model.hf_model_id",
                           "mlm.tokenizer_type",
                           "tokenizer.tokenizer_type"}) {
    const auto tokenizer = reader.value(name);  // an unset path does no harm here
    if (tokenizer.text() == nullptr) {
      continue;
    }
    if (const auto size = size_of(*tokenizer.text())) {
      return {*size, fmt::format("the vocabulary of the tokenizer {}", *tokenizer.text())};
    }
  }
  if (reader.is_written("mlm.merge_file") && !reader.is_written("mlm.tokenizer_model")) {
    constexpr int kGpt2 = 50257;
    return {kGpt2, "a vocabulary with merges is assumed to be that of GPT-2"};
  }
  return {reader.required("model.vocab_size", "the size of the vocabulary"), {}};
}

}  // namespace epwise::workload
