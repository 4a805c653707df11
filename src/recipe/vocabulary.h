#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "expr/type.h"
#include "expr/value.h"
#include "recipe/framework.h"

namespace epwise::recipe {

/// One field of one framework version under its canonical name.
///
/// Canonical names are Megatron-Bridge's dotted paths ("model.moe_router_topk",
/// "ddp.overlap_grad_reduce"); Megatron-LM arguments that mean the same carry them too, the others
/// are "mlm.<attribute>".
struct FieldSpec {
  std::string_view name;
  expr::Type type;
  expr::Value
      default_value;  // of this framework, version and (Bridge) model class, in canonical polarity
  bool has_default = true;                // false: a required field without default
  std::vector<std::string_view> choices;  // of a text enum; empty: open
  std::string_view attribute;  // mlm: attribute of args ("moe_router_topk"); bridge: same as name
  bool inverted = false;       // mlm: the attribute holds the negation (untie_… ↔ share_…)
};

/// One command-line flag of Megatron-LM's parser in one version, as argparse knows it.
struct Flag {
  enum class Action : std::uint8_t { store, store_true, store_false, store_const, append, help };
  enum class Values : std::uint8_t { one, optional, any, some, fixed };  // nargs: None, ?, *, +, N
  std::vector<std::string_view> spellings;                               // "--num-experts", "-tp"
  std::string_view attribute;                                            // dest
  Action action = Action::store;
  Values values = Values::one;
  std::int32_t count = 0;  // for Values::fixed
  std::string_view
      type;  // "int", "float", "str", "eval", "moe_freq", …: a converter in recipe/flag_values.h
  std::vector<std::string_view> choices;  // texts, as argparse compares them after conversion
  expr::Value constant;                   // store_const, and `?` without a value
  bool required = false;
};

/// All fields and flags of one framework at one version. Data: rules/vocabulary/{bridge,mlm}.yaml,
/// compiled by the build.
class Vocabulary {
 public:
  /// The newest known version is used for `head`, for an unknown newer one and when none is given;
  /// `exact()` tells. An unknown older or intermediate version uses the nearest known older one (or
  /// the oldest).
  static Vocabulary load(Framework framework, std::string_view version);

  Framework framework() const { return framework_; }

  std::string_view version() const { return version_; }  // the one whose tables are used

  bool exact() const { return exact_; }

  /// Bridge: defaults depend on the provider class (`_target_` of the model section). Unknown
  /// classes keep the base's and return false.
  bool use_model_class(std::string_view target);

  const FieldSpec* find(std::string_view canonical) const;
  const FieldSpec* find_attribute(std::string_view attribute) const;  // mlm

  const std::vector<FieldSpec>& fields() const { return fields_; }  // sorted by name

  std::vector<std::string_view> names() const;

  bool has_section(std::string_view section) const;  // bridge: "model", "comm_overlap", …
  /// Names that earlier or later versions know, with the range: "known since 0.18.2", "until
  /// 0.16.1"; "" when none does.
  std::string history(std::string_view name_or_flag) const;

  const std::vector<Flag>& flags() const { return flags_; }

  /// Exact spelling.
  const Flag* flag(std::string_view spelling) const;
  /// Every flag that has a spelling starting so, as argparse's abbreviations count them.
  std::vector<std::string_view> spellings_starting(std::string_view prefix) const;

  /// Known framework versions, oldest first.
  static std::vector<std::string_view> versions(Framework framework);

 private:
  Framework framework_ = Framework::bridge;
  std::string_view version_;
  bool exact_ = true;
  std::vector<FieldSpec> fields_;
  std::vector<Flag> flags_;
  std::unordered_map<std::string_view, int> by_name_;
  std::unordered_map<std::string_view, int> by_attribute_;
  std::unordered_map<std::string_view, int> by_spelling_;
};

}  // namespace epwise::recipe
