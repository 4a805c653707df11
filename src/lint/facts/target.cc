#include "lint/facts/target.h"

#include "hw/profile.h"

namespace epwise::facts {

Target with_launcher(const Target& target, const recipe::Recipe& recipe) {
  Target result = target;
  const auto gpus = recipe.raw.find("raw.gpus");
  if (!target.gpus && gpus != recipe.raw.end() && gpus->second.integer() != nullptr) {
    result.gpus = static_cast<int>(*gpus->second.integer());
    const auto source = recipe.raw.find("raw.gpus_source");
    result.gpus_source = source == recipe.raw.end() ? "the launcher" : source->second.to_text();
  }
  const auto hardware = recipe.raw.find("raw.hw");
  const std::string* const name = hardware == recipe.raw.end() ? nullptr : hardware->second.text();
  if (target.hw == nullptr && name != nullptr) {
    result.hw = hw::find_profile(*name);
    const auto source = recipe.raw.find("raw.hw_source");
    if (result.hw != nullptr) {
      result.hw_source = source == recipe.raw.end() ? "the launcher" : source->second.to_text();
    }
  }
  return result;
}

}  // namespace epwise::facts
