#pragma once

/// What the laws' numbers are multiplied with to be in seconds and bytes: 12 us are 12 * kMicro.
namespace epwise::cost {

inline constexpr double kMicro = 1e-6;
inline constexpr double kGiga = 1e9;

}  // namespace epwise::cost
