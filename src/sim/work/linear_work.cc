#include "sim/work/linear_work.h"

namespace epwise::sim {

namespace {

using model::Precision;

/// Bytes that quantising moves for each element of an operand: the BF16 value is read (once more
/// for a scale of the whole tensor), rows and columns are written.
double quantised_bytes(Precision precision) {
  switch (precision) {
    case Precision::bf16:
      return 0;
    case Precision::mxfp8:
      return 4.1;
    case Precision::fp8_tensor:
      return 6.0;
    case Precision::fp8_block:
      return 5.0;
    case Precision::nvfp4:
      return 5.5;
  }
  return 0;
}

void add_quantisation(Piece& piece,
                      const KernelTimes& times,
                      Precision precision,
                      double groups,
                      const Linear& layer,
                      double operations) {
  if (precision == Precision::bf16) {
    return;
  }
  constexpr double kKernels = 2;
  const double bytes = quantised_bytes(precision) * groups * layer.rows;
  piece.forward.memory += times.quantise(bytes * layer.in);
  piece.data.memory += times.quantise(bytes * layer.out);
  for (Work* work : {&piece.forward, &piece.data}) {
    work->quantisations += operations;
    work->kernels += kKernels;
  }
}

}  // namespace

void add_linear(Piece& piece, const KernelTimes& times, Precision precision, const Linear& layer) {
  const auto& [rows, out, in] = layer;
  piece.forward.dense += times.gemm(precision, rows, out, in);
  piece.data.dense += times.gemm(precision, rows, in, out);
  piece.weights.dense += times.gemm(precision, out, in, rows) + times.elementwise(4.0 * out * in);
  for (Work* work : {&piece.forward, &piece.data, &piece.weights}) {
    work->kernels += 1;
    work->operations += 1;
  }
  add_quantisation(piece, times, precision, 1, layer, 1);
}

void add_expert_linear(Piece& piece,
                       const KernelTimes& times,
                       Precision precision,
                       double experts,
                       const Linear& layer,
                       bool fused) {
  using cost::GemmStage;
  const auto& [rows, out, in] = layer;
  piece.forward.grouped +=
      times.grouped_gemm(precision, GemmStage::forward, experts, rows, out, in, fused);
  piece.data.grouped +=
      times.grouped_gemm(precision, GemmStage::data_gradient, experts, rows, in, out, fused);
  piece.weights.grouped +=
      times.grouped_gemm(precision, GemmStage::weight_gradient, experts, rows, out, in, fused);
  for (Work* work : {&piece.forward, &piece.data, &piece.weights}) {
    work->kernels += experts;
    work->expert_products += experts;
  }
  add_quantisation(piece, times, precision, experts, layer, 1 + 0.5 * experts);
}

}  // namespace epwise::sim
