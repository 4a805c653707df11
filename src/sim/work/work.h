#pragma once

namespace epwise::sim {

/// What one piece of a layer costs in one direction, before the constants of the step model weigh
/// it: seconds on the GPU by the cost laws, one sum a class of kernels, and what the host launches.
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

/// A piece of a layer: forward, gradient of its input, gradient of its weights.
struct Piece {
  Work forward;
  Work data;
  Work weights;

  void add(const Piece& other, double weight);
};

}  // namespace epwise::sim
