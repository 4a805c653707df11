#include "model/launcher_target.h"

namespace epwise::model {

Target with_launcher(const Target& target, const recipe::Recipe& recipe) {
  Target result = target;
  const auto gpus = recipe.raw.find("raw.gpus");
  if (!target.gpus && gpus != recipe.raw.end() && gpus->second.integer() != nullptr) {
    result.gpus = static_cast<int>(*gpus->second.integer());
    const auto source = recipe.raw.find("raw.gpus_source");
    result.gpus_source = source == recipe.raw.end() ? "the launcher" : source->second.to_text();
  }
  return result;
}

}  // namespace epwise::model
