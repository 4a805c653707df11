#include "expr/names.h"

namespace epwise::expr {

int Names::slot(std::string_view name) {
  if (const int known = find(name); known >= 0) {
    return known;
  }
  owned_.emplace_back(name);
  const int slot = size();
  names_.emplace_back(owned_.back());
  slots_.emplace(names_.back(), slot);
  return slot;
}

int Names::find(std::string_view name) const {
  const auto found = slots_.find(name);
  return found == slots_.end() ? -1 : found->second;
}

}  // namespace epwise::expr
