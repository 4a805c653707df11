#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "expr/expression.h"
#include "model/target.h"
#include "recipe/recipe.h"

namespace epwise::model {

/// A value computed from others: rules/derived.yaml holds all of them ("d.DP", "d.is_moe").
struct Derived {
  std::int32_t slot = -1;
  std::string_view name;
  std::string_view text;  // the expression as written
  expr::Expression expression;
  expr::Type type;
  std::string_view doc;
  std::string_view frameworks;  // "": both; several entries of one name: the first that fits
  /// Rules that must hold for the value to mean anything: indices in the rule table.
  std::vector<std::int32_t> premises;
};

/// A value that the framework replaced on its way to the launch.
struct Rewrite {
  int slot = -1;
  std::string field;  // as the user knows it: "model.x" (bridge), "moe_x" or "config.moe_x" (mlm)
  expr::Value before;
  expr::Value after;
  std::string why;  // one clause: "comm_overlap.setup() copies its own value"
};

/// The Environment of all rules: recipe fields with the defaults of the framework version, d.*
/// (derived), hw.*, stack.*, env.*, raw.*, fw, gpus. Launch stages write to it; derived values
/// follow.
///
/// Name            value
/// model.x …       the recipe's, else the vocabulary's default; a field of an absent Bridge section
/// is unset mlm.x           a Megatron-LM argument without Bridge field d.x             evaluated
/// when first read after a write hw.x            profile; Unknown{"hw"} without --hw stack.x
/// version; null when known to be absent; Unknown{"stack.x"} otherwise. stack.bridge, stack.mlm and
///                 stack.mcore are always known (the vocabulary's version stands in, mcore by the
///                 table of releases)
/// env.X           --env, then the recipe's variable, else unset; text
/// fw              "bridge" or "mlm"
/// gpus            world size; Unknown{"gpus"}
class Facts : public expr::Environment {
 public:
  Facts(const recipe::Recipe& recipe,
        const recipe::Vocabulary& vocabulary,
        const Target& target,
        const expr::Names& names,
        const std::vector<Derived>& derived);

  const expr::Value& value(int slot) const override;
  expr::Value written(int slot) const override;
  expr::Value is_explicit(int slot) const override;
  expr::Value has_section(std::string_view section) const override;
  expr::Value origin(int slot) const override;

  /// Replaces a field's value, as a launch stage does. Without a reason it is the same value
  /// spelled out (the fields of a named preset) and no rewrite.
  void assign(int slot, expr::Value value, std::string_view why);

  /// Megatron-LM builds the transformer config from its arguments: from here on, writes to model.*
  /// are changes of the config and are named "config.x", compared with the arguments' values at
  /// this point.
  void enter_config();

  /// What differs from the recipe (or default) after all stages, sorted by field.
  std::vector<Rewrite> rewrites() const;

  /// Another recipe that differs in this value alone: as if the user had written it. Holds until
  /// `restore`. The field's section must be there.
  void vary(int slot, expr::Value value);

  /// Back to the recipe as it was read: undoes stages and variations.
  void restore();

  /// A section that a stage created or removed.
  void set_section(std::string_view section, bool present);

  /// What a derived value is, in words; empty for every other name.
  std::string_view meaning(int slot) const;

  const recipe::Recipe& recipe() const { return recipe_; }

  const recipe::Vocabulary& vocabulary() const { return vocabulary_; }

  const Target& target() const { return target_; }

  const expr::Names& names() const { return names_; }

 private:
  enum class Source : std::uint8_t { nothing, field, derived, constant };

  struct Slot {
    Source source = Source::nothing;
    std::int32_t derived = -1;
    std::int32_t same_as = -1;  // Megatron-LM: another Bridge field that the same argument sets
    bool classified = false;
    bool computed = false;
    bool touched = false;         // written by a stage
    bool config_touched = false;  // written after the config was built
    expr::Value value;
    expr::Value initial;    // before any stage
    expr::Value at_config;  // when the config was built
    std::string_view why;
    std::string_view config_why;
  };

  Slot& ready(int slot) const;
  const recipe::Field* field(int slot) const;
  void classify(int slot, Slot& entry) const;
  void forget_derived();
  void reclassify(std::string_view section);

  int index(const Slot& entry) const { return static_cast<int>(&entry - slots_.data()); }

  const expr::Value* variation(int slot) const;
  expr::Value initial_value(std::string_view name) const;
  expr::Value default_value(std::string_view name) const;
  bool section_present(std::string_view section) const;

  const recipe::Recipe& recipe_;
  const recipe::Vocabulary& vocabulary_;
  const Target& target_;
  const expr::Names& names_;
  const std::vector<Derived>& derived_;
  mutable std::vector<Slot> slots_;
  mutable std::vector<int> computed_;  // derived slots that a write makes stale
  std::vector<int> changed_;           // slots that stages or variations have written
  std::map<int, expr::Value> variations_;
  std::map<std::string_view, std::vector<int>, std::less<>> section_slots_;  // made when needed
  std::map<std::string, bool, std::less<>> sections_;
  bool in_config_ = false;
};

}  // namespace epwise::model
