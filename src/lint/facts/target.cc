#include "lint/facts/target.h"

#include <fmt/format.h>

#include "hw/profile.h"

namespace epwise::facts {

Target with_launcher(const Target& target, const recipe::Recipe& recipe) {
  Target result = target;
  const auto gpus = recipe.raw.find("raw.gpus");
  if (gpus != recipe.raw.end() && gpus->second.integer() != nullptr) {
    const int started = static_cast<int>(*gpus->second.integer());
    const auto found = recipe.raw.find("raw.gpus_source");
    const std::string source = found == recipe.raw.end() ? "the launcher" : found->second.to_text();
    if (!target.gpus || target.gpus_are_default) {
      result.gpus = started;
      result.gpus_source = source;
      result.gpus_are_default = false;
      if (target.gpus && *target.gpus != started) {
        result.gpus_source += fmt::format(", not the {} of {}", *target.gpus, target.gpus_source);
      }
    } else if (*target.gpus != started) {
      result.gpus_source += fmt::format(", not the {} of {}", started, source);
    }
  }
  const auto hardware = recipe.raw.find("raw.hw");
  const std::string* const name = hardware == recipe.raw.end() ? nullptr : hardware->second.text();
  if ((target.hw == nullptr || target.hw_is_default) && name != nullptr &&
      hw::find_profile(*name) != nullptr) {
    result.hw = hw::find_profile(*name);
    result.hw_is_default = false;
    const auto source = recipe.raw.find("raw.hw_source");
    result.hw_source = source == recipe.raw.end() ? "the launcher" : source->second.to_text();
  }
  return result;
}

}  // namespace epwise::facts
