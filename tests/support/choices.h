#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>

namespace epwise::support {

/// What the bytes of a fuzz target choose when it makes an input of known parts: a number from each
/// byte; 0 after the last.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  bool done() const { return at_ >= size_; }

  std::size_t below(std::size_t count) {
    constexpr std::size_t kByte = 256;
    std::size_t number = next();
    if (count > kByte) {
      number = number * kByte + next();
    }
    return count == 0 ? 0 : number % count;
  }

  template <class List>
  const auto& of(const List& list) {
    return list[below(std::size(list))];
  }

 private:
  std::size_t next() { return at_ < size_ ? data_[at_++] : 0; }

  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

/// Counts inputs that are made of known parts. A program with libFuzzer prints the sum when it ends
/// without a finding: "structured_executions: 417", for tests/fuzz/soak.sh.
inline void count_structured() {
#ifdef EPWISE_LIBFUZZER
  struct Count {
    Count() = default;
    Count(const Count&) = delete;
    Count& operator=(const Count&) = delete;

    ~Count() { std::fprintf(stderr, "structured_executions: %llu\n", number); }

    unsigned long long number = 0;
  };

  static Count count;
  ++count.number;
#endif
}

/// Whether the input is to be made of known parts: the first byte is 1.
inline bool is_structured(const std::uint8_t* data, std::size_t size) {
  const bool structured = size > 0 && data[0] == 1;
  if (structured) {
    count_structured();
  }
  return structured;
}

/// Values as recipes, scripts and logs write them, right and wrong.
constexpr std::array<std::string_view, 48> kValues = {
    "1",        "2",         "3",       "4",       "8",         "16",        "64",
    "128",      "4096",      "0",       "-1",      "true",      "false",     "null",
    "1.5",      "0.0",       "1e-4",    ".inf",    ".nan",      "\"\"",      "\"8\"",
    "alltoall", "allgather", "flex",    "deepep",  "bf16",      "fp8",       "selective",
    "full",     "block",     "uniform", "none",    "yes",       "0x10",      "1_000",
    "0o17",     "[]",        "[1, 2]",  "{}",      "{a: 1}",    "[0, 1, 1]", "9223372036854775807",
    "1e400",    "&a 4",      "*a",      "!!str 8", "Et*4|t*4L", "${X:-4}"};

/// Lines of a recipe, in the order of the choices.
inline std::string recipe_text(Choices& choices) {
  constexpr std::array<std::string_view, 24> kLines = {"model:",
                                                       "  num_layers: ",
                                                       "  hidden_size: ",
                                                       "  num_attention_heads: ",
                                                       "  num_moe_experts: ",
                                                       "  moe_router_topk: ",
                                                       "  expert_model_parallel_size: ",
                                                       "  tensor_model_parallel_size: ",
                                                       "  pipeline_model_parallel_size: ",
                                                       "  moe_token_dispatcher_type: ",
                                                       "  cuda_graph_impl: ",
                                                       "  num_layerz: ",
                                                       "  pipeline_model_parallel_layout: ",
                                                       "  recompute_granularity: ",
                                                       "train:",
                                                       "  global_batch_size: ",
                                                       "  micro_batch_size: ",
                                                       "ddp: ",
                                                       "mixed_precision: ",
                                                       "# epwise: ignore[batch/indivisible]: ",
                                                       "# epwise: --hw h100 --gpus ",
                                                       "--- ",
                                                       "  - ",
                                                       "comm_overlap: "};
  std::string text = choices.below(4) == 0 ? "" : "model:\n  num_layers: 4\n  hidden_size: 64\n";
  for (std::size_t lines = choices.below(12); lines > 0; --lines) {
    const std::string_view line = choices.of(kLines);
    text += line;
    text += line.ends_with(' ') ? choices.of(kValues) : std::string_view();
    text += choices.below(16) == 0 ? "\r\n" : "\n";
  }
  return text;
}

}  // namespace epwise::support
