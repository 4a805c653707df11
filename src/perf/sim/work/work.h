#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "perf/cost/cost.h"
#include "perf/workload/workload.h"

namespace epwise::sim {

inline constexpr double kBf16 = 2;  // bytes

/// Sizes shared by several parts of a layer.
struct Sizes {
  double group_tokens = 0;  // of one micro-batch in one tensor-parallel group
  double rank_tokens = 0;   // dispatched by one rank (sequence parallel)
  double sent = 0;          // rows sent by one rank: one copy per expert
  double rows = 0;  // processed by one rank's experts, balanced, including all of its slices' ranks
  double expert_width = 0;  // token width at the experts
  double expert_ffn = 0;    // of one expert on one rank
  double local_experts = 1;
  double rows_per_expert = 0;
  double halves = 2;      // first GEMMs of an MLP: gate and up, or only up
  double moe_layers = 0;  // layers with experts
  double dense_layers = 0;
};

Sizes sizes_of(const workload::Workload& job);

/// The cost of one part of a layer in one direction, before applying the constants of the step
/// model: GPU seconds by the cost laws, one sum per class of kernels, and host launches.
struct Work {
  double dense = 0;            // s, GEMMs
  double grouped = 0;          // s, GEMMs of all local experts
  double attention = 0;        // s, core attention
  double scores = 0;           // s, one pass over the score matrix of an unfused learnable softmax
  double memory = 0;           // s, memory-bound kernels
  double router = 0;           // s, gate, top-k, map and losses
  double cross_entropy = 0;    // s
  double scan = 0;             // s, Mamba and gated delta nets
  double collective = 0;       // s, tensor-parallel collectives
  double kernels = 0;          // launched on the GPU
  double operations = 0;       // framework operations of the host
  double expert_products = 0;  // GEMM launches inside a grouped product
  double quantisations = 0;    // operations that quantise operands

  void add(const Work& other, double weight);
};

/// Framework operations of the host and the kernels that they launch.
void add_launches(Work& work, double operations, double kernels);

/// A part of a layer: forward, input gradient, weight gradient.
struct Piece {
  Work forward;
  Work data;
  Work weights;

  void add(const Piece& other, double weight);
};

/// Laws with independent errors.
enum class Law : std::uint8_t { dense, grouped, attention, memory, collective, exchange };

inline constexpr std::size_t kLawCount = 6;

/// The uncertainty of the laws used for a recipe's layers: relative standard deviations, each the
/// mean over the recipe's calls weighted by duration. A law has the same error for every layer, so
/// deviations are averaged, not their squares.
struct LawSpread {
  std::array<double, kLawCount> deviation{};

  double operator[](Law law) const { return deviation[static_cast<std::size_t>(law)]; }
};

/// Collects results of laws.
class LawTally {
 public:
  void add(Law law, const cost::Cost& cost);

  LawSpread spread() const;

 private:
  struct Sum {
    double seconds = 0;
    double deviation = 0;  // times seconds
  };

  std::array<Sum, kLawCount> sums_{};
};

}  // namespace epwise::sim
