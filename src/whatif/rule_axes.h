#pragma once

#include <cstdint>
#include <vector>

#include "lint/influence.h"
#include "whatif/bench.h"

namespace epwise::whatif {

/// One bit an axis.
using Axes = std::uint32_t;

/// Which axes can change what a rule says about a recipe, at most: those whose names reach it
/// (lint/influence.h). The version of the framework itself changes everything.
class RuleAxes {
 public:
  RuleAxes(const Question& question,
           recipe::Framework framework,
           const std::vector<const recipe::Vocabulary*>& vocabularies);

  Axes of(const lint::Rule& rule) const;

 private:
  const Question& question_;
  Axes always_ = 0;
  std::vector<Axes> own_;  // by rule, without what its premises depend on
};

}  // namespace epwise::whatif
