#pragma once

#include <string>
#include <string_view>

#include "recipe/launch/launch_words.h"

namespace epwise::recipe {

/// The value of one of a program's own options, the last one: behind it, or the word that holds
/// both; null pointer where it is not there.
const shell::Field* option(const LaunchWords& launch,
                           std::string_view name,
                           std::string_view short_name = {});

/// The value in such a word: "--config=a.yaml" → "a.yaml".
std::string option_text(const shell::Field& field);

}  // namespace epwise::recipe
