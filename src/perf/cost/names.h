#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "perf/cost/exchange.h"
#include "perf/cost/parameters.h"

/// The names used in queries and tables.
namespace epwise::cost {

template <class T>
struct Name {
  std::string_view text;
  T value;
};

/// All names with their meanings; several names may have the same meaning ("fp16", "bf16").
const std::vector<Name<Format>>& names_of(Format);
const std::vector<Name<Architecture>>& names_of(Architecture);
const std::vector<Name<Family>>& names_of(Family);
const std::vector<Name<Direction>>& names_of(Direction);
const std::vector<Name<CollectiveKind>>& names_of(CollectiveKind);
const std::vector<Name<MoeKernels>>& names_of(MoeKernels);
const std::vector<Name<MemoryKernel>>& names_of(MemoryKernel);

/// parse<Format>("mxfp8") → Format::fp8_block; nullopt for an unknown name.
template <class T>
std::optional<T> parse(std::string_view text) {
  for (const Name<T>& name : names_of(T{})) {
    if (name.text == text) {
      return name.value;
    }
  }
  return std::nullopt;
}

/// All spellings of a kind: {"bf16", "fp16", "fp8", …}.
template <class T>
std::vector<std::string_view> words_of() {
  std::vector<std::string_view> words;
  for (const Name<T>& name : names_of(T{})) {
    words.push_back(name.text);
  }
  return words;
}

/// "deepep", "deepep-ll", "DeepEP V2", "hybridep", "nccl_ep", "nccl", "trtllm-one-sided", …:
/// sources spell backends inconsistently. Nullopt for anything else.
std::optional<Backend> parse_backend(std::string_view text);

}  // namespace epwise::cost
