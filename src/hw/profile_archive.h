#pragma once

#include <string>
#include <string_view>

#include "hw/profile.h"

namespace epwise::hw {

/// A profile as the bytes that the build embeds: reading the YAML of all of them would take longer
/// than checking a recipe. Both ends come from one build.
std::string pack_profile(const Profile& profile);

/// Throws std::runtime_error for bytes that pack_profile did not write.
Profile unpack_profile(std::string_view bytes);

}  // namespace epwise::hw
