#pragma once

#include <string>
#include <string_view>

#include "recipe/launch/launch_words.h"
#include "recipe/load.h"
#include "recipe/recipe.h"

namespace epwise::recipe {

/// The value of one of a program's own options, the last one: behind it, or the word that holds
/// both; null pointer where it is not there.
const shell::Field* option(const LaunchWords& launch,
                           std::string_view name,
                           std::string_view short_name = {});

/// The value in such a word: "--config=a.yaml" → "a.yaml".
std::string option_text(const shell::Field& field);

/// recipe/missing-file, where a file that is named and can't be read is surely a slip in its name.
void report_slip(Recipe& recipe, const shell::Field& named, const Request& request);

}  // namespace epwise::recipe
