// The memory-bound work between two collectives: rows of tokens scattered to experts and gathered
// back, the activation, the conversion to fp8. Access pattern of the training libraries: one block
// per row, 16 bytes per thread, fp32 sums. Bytes per launch, r bytes per row: permute r·(rows read
// + copies written), unpermute the reverse, swiglu 3·16·vectors per row, quantize 2 + 1 + 4/128
// bytes per channel. No routing happens here; dropped rows have index -1.

#include "machine.cuh"

using namespace epwise::abi;  // NOLINT(google-build-using-namespace): kernels are global names

namespace {

struct EightFloats {
  float value[8];
};

EPWISE_DEVICE EightFloats unpacked(const Vector16& vector) {
  EightFloats floats = {};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    floats.value[2 * i] = float_of(vector.word[i] << 16U);
    floats.value[2 * i + 1] = float_of(vector.word[i] & 0xffff0000U);
  }
  return floats;
}

EPWISE_DEVICE Vector16 packed(const EightFloats& floats) {
  Vector16 vector = {};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    vector.word[i] = two_bf16(floats.value[2 * i], floats.value[2 * i + 1]);
  }
  return vector;
}

EPWISE_DEVICE float largest_of_half_warp(float value) {
  for (int mask = 8; mask > 0; mask /= 2) {
    const float other = machine::shuffle_xor(value, mask);
    value = other > value ? other : value;
  }
  return value;
}

}  // namespace

EPWISE_KERNEL(epwise_permute, PermuteArguments, kRowThreads) {
  const auto vectors = static_cast<std::int64_t>(arguments.vectors);
  for (int token = machine::block_index(); token < arguments.tokens; token += machine::blocks()) {
    const std::int32_t* row_of =
        arguments.row_of + static_cast<std::int64_t>(token) * arguments.copies;
    const Vector16* row = arguments.rows + token * vectors;
    for (int at = machine::thread_index(); at < arguments.vectors; at += machine::threads()) {
      const Vector16 value = machine::load_once(row + at);
      for (int copy = 0; copy < arguments.copies; ++copy) {
        if (row_of[copy] >= 0) {
          machine::store(arguments.permuted + row_of[copy] * vectors + at, value);
        }
      }
    }
  }
}

// Two rows are in flight while the previous one is added.
EPWISE_KERNEL(epwise_unpermute, UnpermuteArguments, kRowThreads) {
  const auto vectors = static_cast<std::int64_t>(arguments.vectors);
  for (int token = machine::block_index(); token < arguments.tokens; token += machine::blocks()) {
    const std::int64_t first = static_cast<std::int64_t>(token) * arguments.copies;
    for (int at = machine::thread_index(); at < arguments.vectors; at += machine::threads()) {
      EightFloats sum = {};
#pragma unroll 4
      for (int copy = 0; copy < arguments.copies; ++copy) {
        const std::int32_t row = arguments.row_of[first + copy];
        if (row >= 0) {
          const float weight =
              arguments.weights == nullptr ? 1.0F : arguments.weights[first + copy];
          const EightFloats values =
              unpacked(machine::load_once(arguments.permuted + row * vectors + at));
#pragma unroll
          for (int i = 0; i < 8; ++i) {
            sum.value[i] += weight * values.value[i];
          }
        }
      }
      machine::store(arguments.rows + token * vectors + at, packed(sum));
    }
  }
}

EPWISE_KERNEL(epwise_swiglu, SwigluArguments, kRowThreads) {
  const auto vectors = static_cast<std::int64_t>(arguments.vectors);
  for (int row = machine::block_index(); row < arguments.rows; row += machine::blocks()) {
    const Vector16* gate = arguments.gate_up + row * 2 * vectors;
    const float weight = arguments.weights == nullptr ? 1.0F : arguments.weights[row];
    for (int at = machine::thread_index(); at < arguments.vectors; at += machine::threads()) {
      const EightFloats gates = unpacked(machine::load_once(gate + at));
      const EightFloats ups = unpacked(machine::load_once(gate + vectors + at));
      EightFloats out = {};
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        const float silu = gates.value[i] / (1.0F + machine::exponential(-gates.value[i]));
        out.value[i] = silu * ups.value[i] * weight;
      }
      machine::store(arguments.activated + row * vectors + at, packed(out));
    }
  }
}

// 16 lanes of 8 channels share a scale.
EPWISE_KERNEL(epwise_quantize, QuantizeArguments, kRowThreads) {
  const auto groups = static_cast<std::int64_t>(arguments.groups);
  const int vectors = 16 * arguments.groups;
  for (int token = machine::block_index(); token < arguments.tokens; token += machine::blocks()) {
    // Whole warps iterate together: the lanes exchange their maxima.
    for (int start = machine::thread_index() / 32 * 32; start < vectors;
         start += machine::threads()) {
      const int at = start + machine::thread_index() % 32;
      const bool inside = at < vectors;
      const EightFloats values =
          inside ? unpacked(machine::load_once(arguments.rows + token * 16 * groups + at))
                 : EightFloats{};
      float largest = 0;
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        const float size = values.value[i] < 0 ? -values.value[i] : values.value[i];
        largest = size > largest ? size : largest;
      }
      largest = largest_of_half_warp(largest);
      const float scale = largest > 0 ? largest / 448.0F : 1.0F;
      if (inside) {
        std::uint32_t words[2] = {0, 0};
#pragma unroll
        for (int i = 0; i < 8; ++i) {
          words[i / 4] |= static_cast<std::uint32_t>(to_e4m3(values.value[i] / scale))
                          << (8U * (static_cast<std::uint32_t>(i) % 4U));
        }
        std::uint32_t* out = arguments.quantized + token * 32 * groups + 2 * at;
        out[0] = words[0];
        out[1] = words[1];
        if (at % 16 == 0) {
          arguments.scales[token * groups + at / 16] = scale;
        }
      }
    }
  }
}
