#include "model/vocabulary_size.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/core.h>

namespace epwise::model {

namespace {

struct Family {
  std::string_view part;  // of the name in small letters
  int tokens;
};

/// The first part that a name has counts: longer names stand before their beginnings.
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
    const auto tokenizer = reader.value(name);  // an unbound path is no loss here
    if (tokenizer.text() == nullptr) {
      continue;
    }
    if (const auto size = size_of(*tokenizer.text())) {
      return {*size, fmt::format("the vocabulary of the tokenizer {}", *tokenizer.text())};
    }
  }
  if (reader.is_written("mlm.merge_file") && !reader.is_written("mlm.tokenizer_model")) {
    constexpr int kGpt2 = 50257;
    return {kGpt2, "a vocabulary with merges is taken for that of GPT-2"};
  }
  return {reader.required("model.vocab_size", "the size of the vocabulary"), {}};
}

}  // namespace epwise::model
