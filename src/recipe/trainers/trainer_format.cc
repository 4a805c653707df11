#include "recipe/trainers/trainer_format.h"

namespace epwise::recipe {

const TrainerFormat* trainer_format(const yaml::Node& root) {
  if (!root.is_mapping() || root.find("_target_") != nullptr) {
    return nullptr;
  }
  for (const TrainerFormat* format : {&kVerl, &kRoll, &kNemoRl, &kNemo, &kSwift}) {
    if (format->fits(root)) {
      return format;
    }
  }
  return nullptr;
}

const yaml::Node* mapping_at(const yaml::Node& root, std::string_view key) {
  const yaml::Node* found = root.find(key);
  return found != nullptr && found->is_mapping() ? found : nullptr;
}

}  // namespace epwise::recipe
