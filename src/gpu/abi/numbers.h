#pragma once

#include <cstdint>
#include <cstring>

/// Marks a function shared by GPU and CPU: index arithmetic and conversions, so that a reference
/// and a kernel cannot disagree about them. Headers of this directory that use it are C++17,
/// because kernels/ is.
#if defined(__CUDACC__)
#define EPWISE_BOTH __host__ __device__
#else
#define EPWISE_BOTH
#endif

/// The number formats of the kernels, bit by bit: bf16, e4m3 and the seeded inputs.

namespace epwise::abi {

/// The memory representation of a bf16 or e4m3 value.
using Bf16 = std::uint16_t;
using E4m3 = std::uint8_t;

EPWISE_BOTH inline std::uint32_t bits_of(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

EPWISE_BOTH inline float float_of(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

EPWISE_BOTH inline float from_bf16(Bf16 value) {
  return float_of(static_cast<std::uint32_t>(value) << 16U);
}

/// Rounds to nearest, ties to even; a NaN stays one. 1.00390625 (halfway) → 1.0.
EPWISE_BOTH inline Bf16 to_bf16(float value) {
  const std::uint32_t bits = bits_of(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) {
    return static_cast<Bf16>((bits >> 16U) | 0x40U);
  }
  const std::uint32_t odd = (bits >> 16U) & 1U;
  return static_cast<Bf16>((bits + 0x7fffU + odd) >> 16U);
}

/// e4m3 as used in ML: maximum 448, no infinities, NaN is 0x7f. Rounds to nearest even; larger
/// values saturate at 448. Smallest subnormal 2^-9.
EPWISE_BOTH inline E4m3 to_e4m3(float value) {
  const std::uint32_t bits = bits_of(value);
  const auto sign = static_cast<std::uint32_t>((bits >> 24U) & 0x80U);
  const std::uint32_t size = bits & 0x7fffffffU;
  if (size > 0x7f800000U) {
    return static_cast<E4m3>(sign | 0x7fU);
  }
  if (size >= 0x43e00000U) {  // 448
    return static_cast<E4m3>(sign | 0x7eU);
  }
  if (size < 0x3c800000U) {  // 2^-6: subnormal, counted in units of 2^-9
    // Adding 2^14 leaves units of 2^-9 as the last bit, so the adder rounds to nearest even.
    const float shifted = float_of(size) + 16384.0F;
    return static_cast<E4m3>(sign | (bits_of(shifted) - 0x46800000U));
  }
  const std::uint32_t odd = (size >> 20U) & 1U;
  const std::uint32_t rounded = size + 0x7ffffU + odd;
  return static_cast<E4m3>(sign | ((rounded >> 20U) - (120U << 3U)));
}

EPWISE_BOTH inline float from_e4m3(E4m3 value) {
  const auto size = static_cast<std::uint32_t>(value & 0x7fU);
  const std::uint32_t sign = (value & 0x80U) != 0 ? 0x80000000U : 0U;
  if (size == 0x7fU) {
    return float_of(sign | 0x7fc00000U);
  }
  if (size < 8U) {
    const float tiny = static_cast<float>(size) * 0.001953125F;  // 2^-9
    return sign != 0 ? -tiny : tiny;
  }
  return float_of(sign | ((size + (120U << 3U)) << 20U));
}

/// 64 well-mixed bits for each pair of seed and index: inputs need no stored copy, because a kernel
/// and its check can recompute any element.
EPWISE_BOTH inline std::uint64_t mixed(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t bits = index + 0x9e3779b97f4a7c15ULL * (seed + 1U);
  bits ^= bits >> 32U;
  bits *= 0xd6e8feb86659fd93ULL;
  bits ^= bits >> 32U;
  bits *= 0xd6e8feb86659fd93ULL;
  bits ^= bits >> 32U;
  return bits;
}

/// Uniform in [-1, 1) with 16 random bits.
EPWISE_BOTH inline float uniform(std::uint64_t seed, std::uint64_t index) {
  const auto sixteen = static_cast<std::int32_t>(mixed(seed, index) & 0xffffU);
  return static_cast<float>(sixteen - 32768) * (1.0F / 32768.0F);
}

/// One of -8 … 8: sums of up to 32 of them are exact in bf16, in any order.
EPWISE_BOTH inline float small_integer(std::uint64_t seed, std::uint64_t index) {
  return static_cast<float>(static_cast<std::int32_t>(mixed(seed, index) % 17U) - 8);
}

/// Two bf16 values of a row as a word, the first in the low half: used to check copies.
EPWISE_BOTH inline std::uint32_t two_bf16(float first, float second) {
  return static_cast<std::uint32_t>(to_bf16(first)) |
         (static_cast<std::uint32_t>(to_bf16(second)) << 16U);
}

/// The contents written by `fill`.
enum Fill : std::int32_t {
  kFillBf16,          // uniform(seed, element)
  kFillBf16Integers,  // small_integer(seed, element)
  kFillE4m3,          // uniform(seed, element)
  kFillFloat,         // uniform(seed, element), fp32
  kFillWords          // mixed(seed, word), 32 bits: arbitrary bit patterns
};

/// The 32-bit word number `word` of a buffer with this fill.
EPWISE_BOTH inline std::uint32_t filled_word(std::int32_t fill,
                                             std::uint64_t seed,
                                             std::uint64_t word) {
  switch (fill) {
    case kFillBf16:
      return two_bf16(uniform(seed, 2 * word), uniform(seed, 2 * word + 1));
    case kFillBf16Integers:
      return two_bf16(small_integer(seed, 2 * word), small_integer(seed, 2 * word + 1));
    case kFillE4m3: {
      std::uint32_t bytes = 0;
      for (std::uint32_t i = 0; i < 4; ++i) {
        bytes |= static_cast<std::uint32_t>(to_e4m3(uniform(seed, 4 * word + i))) << (8U * i);
      }
      return bytes;
    }
    case kFillFloat:
      return bits_of(uniform(seed, word));
    default:
      return static_cast<std::uint32_t>(mixed(seed, word));
  }
}

}  // namespace epwise::abi
