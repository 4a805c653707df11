#pragma once

#include "base/embedded/embedded.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::support {

/// The newest vocabulary of a framework as the build compiled it, loaded once a program: what
/// `recipe::load` asks for.
inline const recipe::Vocabulary& head_vocabulary(recipe::Framework framework) {
  static const auto kBridge =
      recipe::Vocabulary::load(recipe::Framework::bridge, "head", embedded::compiled_vocabulary());
  static const auto kMegatron =
      recipe::Vocabulary::load(recipe::Framework::mlm, "head", embedded::compiled_vocabulary());
  return framework == recipe::Framework::bridge ? kBridge : kMegatron;
}

}  // namespace epwise::support
