#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace epwise::recipe {

/// The framework whose launcher and validators process a recipe.
enum class Framework : std::uint8_t { bridge, mlm };

std::string_view to_string(
    Framework framework);  // "bridge", "mlm": the names in --framework and in rules
std::string_view title(Framework framework);  // "Megatron-Bridge", "Megatron-LM"
std::optional<Framework> parse_framework(std::string_view text);

}  // namespace epwise::recipe
