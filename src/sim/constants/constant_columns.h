#pragma once

#include <string_view>
#include <vector>

#include "sim/constants/constants.h"
#include "units/quantity.h"

namespace epwise::sim {

/// Where a name of the file goes.
struct ConstantColumn {
  std::string_view name;
  units::Dimension dimension = units::Dimension::none;
  double Constants::*member = nullptr;
};

/// All of them, in the order of the struct.
const std::vector<ConstantColumn>& constant_columns();

}  // namespace epwise::sim
