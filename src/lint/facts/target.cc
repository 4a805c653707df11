#include "lint/facts/target.h"

#include <fmt/format.h>

#include "hw/profile.h"

namespace epwise::facts {

namespace {

/// Where the recipe's launcher says something: "run.sh:12".
std::string source_in(const recipe::Recipe& recipe, std::string_view name) {
  const auto found = recipe.raw.find(name);
  return found == recipe.raw.end() ? "the launcher" : found->second.to_text();
}

}  // namespace

Target with_launcher(const Target& target, const recipe::Recipe& recipe) {
  Target result = target;
  const auto gpus = recipe.raw.find("raw.gpus");
  if (gpus != recipe.raw.end() && gpus->second.integer() != nullptr) {
    const int started = static_cast<int>(*gpus->second.integer());
    const std::string source = source_in(recipe, "raw.gpus_source");
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
  const hw::Profile* const profile = name == nullptr ? nullptr : hw::find_profile(*name);
  if ((target.hw == nullptr || target.hw_is_default) && profile != nullptr) {
    result.hw = profile;
    result.hw_is_default = false;
    result.hw_source = source_in(recipe, "raw.hw_source");
  }
  return result;
}

}  // namespace epwise::facts
