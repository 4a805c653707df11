#include "recipe/recipe.h"

namespace epwise::recipe {

std::string_view to_string(Origin origin) {
  switch (origin) {
    case Origin::written:
      return "written";
    case Origin::override_word:
      return "override";
    case Origin::environment:
      return "environment";
    case Origin::framework_default:
      break;
  }
  return "default";
}

const Field* Recipe::find(std::string_view canonical) const {
  const auto found = fields.find(canonical);
  return found == fields.end() ? nullptr : &found->second;
}

}  // namespace epwise::recipe
