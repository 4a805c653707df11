#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/abi/numbers.h"
#include "gpu/abi/routing.h"

/// The expected results of the kernels, written for readability, not speed. Rows are [rows, width]
/// with the width given; inputs are spans, outputs vectors.
namespace epwise::abi {

/// The buffer produced by `fill`: `words` words of 32 bits.
std::vector<std::uint32_t> filled(Fill fill, std::uint64_t seed, std::uint64_t words);

/// bf16 values number `first` … of a buffer filled with kFillBf16 or kFillBf16Integers.
std::vector<Bf16> filled_bf16(Fill fill,
                              std::uint64_t seed,
                              std::uint64_t first,
                              std::uint64_t count);

/// Sum of the words modulo 2^32.
std::uint32_t word_sum(std::span<const std::uint32_t> words);

/// out[row_of[token, copy]] = rows[token]; other rows keep `blank`.
std::vector<Bf16> permuted(std::span<const Bf16> rows,
                           std::span<const std::int32_t> row_of,
                           std::int32_t copies,
                           std::int64_t width,
                           std::int64_t rows_out,
                           Bf16 blank);

/// One token's row: the sum over its copies of weight · row in fp32, in the order of the copies. An
/// empty `weights` is all ones.
std::vector<Bf16> unpermuted_row(std::span<const std::vector<Bf16>> rows,
                                 std::span<const float> weights);

/// silu(gate) · up · weight of one row [2 · width], in double.
std::vector<double> swiglu_row(std::span<const Bf16> gate_up, float weight);

/// One row to e4m3 with one scale per 128 channels.
struct QuantizedRow {
  std::vector<E4m3> values;
  std::vector<float> scales;
};

QuantizedRow quantized_row(std::span<const Bf16> row);

/// The best logits of one token and their weights.
struct Choice {
  std::vector<std::int32_t> experts;  // best first; ties: the lower expert first
  std::vector<double> probabilities;
};

Choice routed_token(std::span<const float> logits, std::int32_t topk, bool sigmoid);

/// Counts, offsets and places of a routing map [tokens, experts].
struct Scan {
  std::vector<std::int32_t> offsets;  // [experts + 1]
  std::vector<std::int32_t> places;   // [tokens, experts]; -1: none
};

Scan scanned(std::span<const std::uint8_t> routing_map, std::int32_t experts);

/// One element of A·B: a row of A and a column of B, in double.
double dot(std::span<const double> row, std::span<const double> column);

/// ‖found − wanted‖ / ‖wanted‖, infinite if any found value is not a number; if all wanted values
/// are zero, 0 only if found is exactly zero.
double relative_error(std::span<const double> found, std::span<const double> wanted);

}  // namespace epwise::abi
