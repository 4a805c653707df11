#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "whatif/bench.h"

namespace epwise::whatif {

/// One bit an axis.
using Axes = std::uint32_t;

/// Which axes can change what a rule says about a recipe, at most: those that its names stand for,
/// directly, through derived values, and through what launch stages write. The version of the
/// framework itself changes everything.
class Influence {
 public:
  Influence(const Question& question,
            recipe::Framework framework,
            const std::vector<const recipe::Vocabulary*>& vocabularies);

  Axes of(const lint::Rule& rule) const;

 private:
  void start(std::string_view framework);
  void join_aliases(const std::vector<const recipe::Vocabulary*>& vocabularies);
  bool spread(const lint::Pipeline* pipeline);
  void visit(const lint::Pipeline& pipeline);
  Axes reads(const expr::Expression& expression) const;
  Axes own(const lint::Rule& rule) const;
  void add(int slot, Axes axes);

  const Question& question_;
  Axes always_ = 0;
  std::vector<Axes> slots_;
  std::vector<int> same_as_;  // Megatron-LM: a slot that stands for the same argument, or -1
  std::map<std::string, Axes, std::less<>> sections_;
  std::map<std::string, Axes, std::less<>> stages_;  // "bridge/comm-overlap": whether it is entered
  std::string framework_;
  bool changed_ = false;
};

}  // namespace epwise::whatif
