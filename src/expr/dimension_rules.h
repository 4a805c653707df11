#pragma once

#include <optional>

#include "expr/expression.h"

namespace epwise::expr {

/// The dimension of a product or quotient (also `//`); nullopt where none of ours fits, after which
/// nothing is claimed any more.
///   bytes / seconds → bytes/s;  bytes/s * seconds → bytes;  bytes / bytes → none
std::optional<units::Dimension> multiplied(std::optional<units::Dimension> left,
                                           std::optional<units::Dimension> right);
std::optional<units::Dimension> divided(std::optional<units::Dimension> left,
                                        std::optional<units::Dimension> right);

}  // namespace epwise::expr
