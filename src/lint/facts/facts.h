#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expr/expression.h"
#include "expr/value.h"
#include "lint/facts/target.h"
#include "recipe/framework.h"
#include "recipe/recipe.h"

namespace epwise::facts {

/// A value computed from others, defined in rules/derived.yaml ("d.DP", "d.is_moe").
struct Derived {
  expr::NameSlot slot{0};
  std::string_view name;
  std::string_view text;  // the expression as written
  expr::Expression expression;
  expr::Type type;
  std::string_view doc;
  // "": both; of several entries with one name, the first match applies
  std::string_view frameworks;
  /// Premises of the value: indices in the rule table.
  std::vector<std::int32_t> premises;
};

/// A value replaced by the framework during the launch.
struct Rewrite {
  expr::NameSlot slot;
  std::string field;  // in the user's spelling: "model.x" (bridge), "moe_x" or "config.moe_x" (mlm)
  expr::Value before;
  expr::Value after;
  std::string why;      // one clause: "comm_overlap.setup() copies its own value"
  bool parsed = false;  // the value in another form: an object made from a text
};

/// The Environment of all rules: recipe fields with the defaults of the framework version, d.*
/// (derived), hw.*, stack.*, env.*, raw.*, fw, gpus. Launch stages write to it; derived values
/// follow.
///
/// Name            Value
/// model.x …       the recipe's, otherwise the vocabulary's default;
///                 a field of an absent Bridge section is unset
/// mlm.x           a Megatron-LM argument without a Bridge field
/// d.x             evaluated when first read after a write
/// hw.x            from the profile; Unknown{"hw"} without --hw
/// stack.x         version; null if known to be absent; otherwise Unknown{"stack.x"}.
///                 stack.bridge, stack.mlm and stack.mcore are always known (the vocabulary's
///                 version is used, mcore from the table of releases)
/// env.X           --env, then the recipe's variable, otherwise unset; text
/// fw              "bridge" or "mlm"
/// gpus            world size; Unknown{"gpus"}
class Facts : public expr::Environment {
 public:
  Facts(const recipe::Recipe& recipe,
        const recipe::Vocabulary& vocabulary,
        const Target& target,
        const expr::Names& names,
        const std::vector<Derived>& derived);

  const expr::Value& value(expr::NameSlot slot) const override;
  expr::Value written(expr::NameSlot slot) const override;
  expr::Value is_explicit(expr::NameSlot slot) const override;
  expr::Value has_section(std::string_view section) const override;
  expr::Value origin(expr::NameSlot slot) const override;

  /// Replaces a field's value, as a launch stage does. Without a reason it is the same value in
  /// expanded form (the fields of a named preset), not a rewrite.
  void assign(expr::NameSlot slot, expr::Value value, std::string_view why);

  /// The framework keeps an object of this name in place of the value. What rules read stays.
  void parse_into(expr::NameSlot slot, const expr::Value& name, std::string_view why);

  /// Megatron-LM builds the transformer config from its arguments: from here on, writes to model.*
  /// change the config, are named "config.x", and are compared with the arguments' values at this
  /// point.
  void enter_config();

  /// Differences from the recipe (or default) after all stages, sorted by field.
  std::vector<Rewrite> rewrites() const;

  /// A variant of the recipe that differs only in this value, as if the user had written it. Valid
  /// until `restore`. The field's section must exist.
  void vary(expr::NameSlot slot, expr::Value value);

  /// Restores the recipe as it was read: undoes stages and variations.
  void restore();

  /// From now on, or no longer, fields that unread words of the command may set have unknown values:
  /// those that nothing writes and that are null or false by default. Words like these mostly add options; a
  /// number that the command leaves out is rarely among them.
  void doubt_unwritten(bool on);

  /// A section that a stage created or removed.
  void set_section(std::string_view section, bool present);

  /// The description of a derived value; empty for any other name.
  std::string_view meaning(expr::NameSlot slot) const;

  const recipe::Recipe& recipe() const { return recipe_; }

  /// Whether the recipe takes steps of an optimizer: a reference model of a trainer does not.
  bool takes_steps() const;

  const recipe::Vocabulary& vocabulary() const { return vocabulary_; }

  const Target& target() const { return target_; }

  const expr::Names& names() const { return names_; }

 private:
  enum class Source : std::uint8_t { nothing, field, derived, constant };

  struct Slot {
    Source source = Source::nothing;
    std::int32_t derived = -1;
    // Megatron-LM: a Bridge field that the argument sets too
    std::optional<expr::NameSlot> same_as;
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

  Slot& ready(expr::NameSlot slot) const;
  const recipe::Field* field(expr::NameSlot slot) const;
  void classify(expr::NameSlot slot, Slot& entry) const;
  void forget_derived();
  void reclassify(std::string_view section);

  Slot& at(expr::NameSlot slot) const { return slots_[slot.index()]; }

  expr::NameSlot slot_of(const Slot& entry) const {
    return expr::NameSlot(static_cast<std::int32_t>(&entry - slots_.data()));
  }

  const expr::Value* variation(expr::NameSlot slot) const;
  bool is_doubted(const Slot& entry) const;
  expr::Value initial_value(std::string_view name) const;
  expr::Value default_value(std::string_view name) const;
  bool section_present(std::string_view section) const;

  const recipe::Recipe& recipe_;
  const recipe::Vocabulary& vocabulary_;
  const Target& target_;
  const expr::Names& names_;
  const std::vector<Derived>& derived_;
  mutable std::vector<Slot> slots_;
  mutable std::vector<expr::NameSlot> computed_;  // derived ones that a write makes stale
  std::vector<expr::NameSlot> changed_;           // what stages have written
  std::vector<Rewrite> parsed_;                   // values that became objects
  std::map<expr::NameSlot, expr::Value> variations_;
  /// Made when needed.
  std::map<std::string_view, std::vector<expr::NameSlot>, std::less<>> section_slots_;
  std::map<std::string, bool, std::less<>> sections_;
  bool in_config_ = false;
  expr::Value doubt_;  // unset: nothing is doubted
};

}  // namespace epwise::facts

/// The target's values of the names used by rules.

namespace epwise::facts {

/// hw.*: "arch", "name", "cc", "cc_major", "nvlink_domain", "gpus_per_node", "sm_count", or a
/// number of the profile. Unknown{"hw"} without --hw, Unknown{"hw.x"} if the profile lacks it.
expr::Value hardware_value(const Target& target, std::string_view key);

/// stack.*: a version, null if known to be absent, otherwise Unknown{"stack.x"}. The recipe's own
/// framework has the version whose tables are used; the other framework is null.
expr::Value component_value(const Target& target,
                            recipe::Framework framework,
                            std::string_view framework_version,
                            std::string_view key);

/// installed.*: false only if the stack states that a package is absent.
expr::Value installed_value(const Target& target, std::string_view key);

/// env.*: from the target's environment, otherwise the recipe's own; null if neither sets it.
expr::Value variable_value(const Target& target,
                           const recipe::Recipe& recipe,
                           std::string_view key);

}  // namespace epwise::facts
