#pragma once

#include <string_view>

namespace epwise::yaml {

/// One of the tokeniser's complaints in our words.
struct Wording {
  std::string_view message;
  std::string_view help;
};

/// By the complaint's start; an unknown complaint stays as it is.
Wording wording_of(std::string_view complaint);

}  // namespace epwise::yaml
