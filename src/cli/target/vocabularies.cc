#include "cli/target/vocabularies.h"

namespace epwise::cli {

const recipe::Vocabulary& Vocabularies::get(recipe::Framework framework,
                                            std::string_view version,
                                            std::string_view model_class) {
  const Key key(framework, version, model_class);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = made_.find(key); found != made_.end()) {
      return *found->second;
    }
  }
  // Made outside the lock: two threads may both make one, and the first to arrive counts.
  std::unique_ptr<recipe::Vocabulary> fresh;
  if (model_class.empty()) {
    fresh = std::make_unique<recipe::Vocabulary>(recipe::Vocabulary::load(framework, version));
  } else {
    fresh = std::make_unique<recipe::Vocabulary>(get(framework, version));
    fresh->use_model_class(model_class);
  }
  const std::lock_guard lock(mutex_);
  return *made_.try_emplace(key, std::move(fresh)).first->second;
}

}  // namespace epwise::cli
