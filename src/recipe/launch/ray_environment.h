#pragma once

#include <map>
#include <string>
#include <vector>

#include "recipe/recipe.h"
#include "shell/field.h"

namespace epwise::recipe {

/// The variables that `ray job submit --runtime-env-json='{"env_vars": {…}}'` sets for the program
/// behind it; the words in front of that. Unknown where the text holds what nobody binds.
std::map<std::string, Variable> ray_environment(const std::vector<shell::Field>& words);

}  // namespace epwise::recipe
