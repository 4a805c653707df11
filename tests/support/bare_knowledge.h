#pragma once

#include "lint/knowledge.h"

namespace epwise::support {

/// Names and their types, with what rules count on and none of the rules: a lint with it reads a
/// recipe and puts it on its target, and judges nothing.
inline const lint::Knowledge& bare_knowledge() {
  static const lint::Knowledge kBare = [] {
    lint::Knowledge knowledge = lint::load_knowledge();
    knowledge.rules.clear();
    knowledge.pipelines.clear();
    for (auto& derived : knowledge.derived) {
      derived.premises.clear();
    }
    return knowledge;
  }();
  return kBare;
}

}  // namespace epwise::support
