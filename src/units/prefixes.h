#pragma once

/// What a value in base units is divided by for people to read.
namespace epwise::units {

inline constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;  // bytes
inline constexpr double kTera = 1e12;

}  // namespace epwise::units
