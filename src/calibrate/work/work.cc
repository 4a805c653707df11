#include "calibrate/work/work.h"

#include <array>
#include <cstddef>

namespace epwise::calibrate {

namespace {

constexpr std::array<std::string_view, 25> kKernels = {
    "hbm_copy",      "hbm_read",        "hbm_write",  "gemm",       "grouped_gemm",   "permute",
    "unpermute",     "swiglu",          "router",     "scan",       "dispatch",       "combine",
    "copy_epilogue", "reduce_epilogue", "occupier",   "launch",     "graph_launch",   "stream_hop",
    "host_sync",     "host_operation",  "all_to_all", "all_gather", "reduce_scatter", "send_recv",
    "peer_copy"};
constexpr std::array<std::string_view, 3> kStructures = {"direct", "pipelined", "staged"};
constexpr std::array<std::string_view, 3> kStages = {"forward", "data_gradient", "weight_gradient"};
constexpr std::array<std::string_view, 3> kScopes = {"device", "domain", "nodes"};
constexpr std::array<std::string_view, 3> kPlacements = {"deployed", "target", "partition"};

template <class Value, std::size_t size>
std::string_view word(const std::array<std::string_view, size>& words, Value value) {
  return words.at(static_cast<std::size_t>(value));
}

template <class Value, std::size_t size>
std::optional<Value> value_of_word(const std::array<std::string_view, size>& words,
                                   std::string_view text) {
  for (std::size_t i = 0; i < size; ++i) {
    if (words.at(i) == text) {
      return static_cast<Value>(i);
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Kernel kernel) {
  return word(kKernels, kernel);
}

std::string_view to_string(Structure structure) {
  return word(kStructures, structure);
}

std::string_view to_string(Stage stage) {
  return word(kStages, stage);
}

std::string_view to_string(Scope scope) {
  return word(kScopes, scope);
}

std::string_view to_string(Placement placement) {
  return word(kPlacements, placement);
}

std::optional<Kernel> kernel_of(std::string_view text) {
  return value_of_word<Kernel>(kKernels, text);
}

std::optional<Structure> structure_of(std::string_view text) {
  return value_of_word<Structure>(kStructures, text);
}

std::optional<Stage> stage_of(std::string_view text) {
  return value_of_word<Stage>(kStages, text);
}

std::optional<Scope> scope_of(std::string_view text) {
  return value_of_word<Scope>(kScopes, text);
}

std::optional<Placement> placement_of(std::string_view text) {
  return value_of_word<Placement>(kPlacements, text);
}

bool is_exchange(Kernel kernel) {
  return kernel == Kernel::dispatch || kernel == Kernel::combine;
}

bool is_collective(Kernel kernel) {
  return kernel == Kernel::all_to_all || kernel == Kernel::all_gather ||
         kernel == Kernel::reduce_scatter || kernel == Kernel::send_recv ||
         kernel == Kernel::peer_copy;
}

bool is_gemm(Kernel kernel) {
  return kernel == Kernel::gemm || kernel == Kernel::grouped_gemm;
}

}  // namespace epwise::calibrate
