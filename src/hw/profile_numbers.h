#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "units/quantity.h"

namespace epwise::hw {

/// Which profiles must have a number: every one, those that are not partial, or none.
enum class Need : std::uint8_t { always, full, optional };

/// A number that a hardware profile may hold. The range is wide on purpose: it catches a wrong unit
/// or a slipped digit, not a fast machine.
struct NumberKind {
  std::string_view key;  // "memory_bandwidth"
  units::Dimension dimension = units::Dimension::none;
  double low = 0;   // base units
  double high = 0;  // base units
  Need need = Need::optional;
  bool whole = false;           // counts
  std::string_view limit = {};  // the number that this one can't exceed: a measurement's peak
};

/// All of them, in the order of hwprofiles/README.md.
std::span<const NumberKind> number_kinds();

/// Null pointer for an unknown key.
const NumberKind* find_number_kind(std::string_view key);

}  // namespace epwise::hw
