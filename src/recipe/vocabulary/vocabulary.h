#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "expr/value.h"
#include "recipe/framework.h"

/// Parts of a field name.

namespace epwise::recipe {

/// parent_of("model.moe.topk") → "model.moe"; empty for a top-level name.
inline std::string_view parent_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

/// last_part("model.moe.topk") → "topk"
inline std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('.') + 1);
}

struct FrameworkTable;  // recipe/vocabulary/table.h
struct NarrowedVocabulary;

/// What an answer needs if the tables of another release are used (`Vocabulary::of_release`).
inline constexpr std::string_view kTablesOfRelease = "the tables of that release";

/// One field of one framework version under its canonical name.
///
/// Canonical names are Megatron-Bridge's dotted paths ("model.moe_router_topk",
/// "ddp.overlap_grad_reduce"); Megatron-LM arguments with the same meaning use them too, the others
/// are "mlm.<attribute>".
struct FieldSpec {
  std::string_view name;
  expr::Type type;
  /// For this framework, version and (Bridge) class, in canonical polarity. Unknown if only the
  /// running framework knows it (needs: the field), or if only classes that the recipe does not
  /// name have the field (needs: "model._target_").
  expr::Value default_value;
  bool has_default = true;                // false: a required field without default
  std::vector<std::string_view> choices;  // texts; empty: any. Bridge's loader does not check them
  std::string_view attribute;  // mlm: attribute of args ("moe_router_topk"); bridge: same as name
  bool inverted = false;       // mlm: the attribute is negated (untie_… ↔ share_…)
};

/// One command-line flag of Megatron-LM's parser in one version, as defined in argparse.
struct Flag {
  enum class Action : std::uint8_t { store, store_true, store_false, store_const, append, help };
  enum class Values : std::uint8_t { one, optional, any, some, fixed };  // nargs: None, ?, *, +, N
  std::vector<std::string_view> spellings;                               // "--num-experts", "-tp"
  std::string_view attribute;                                            // dest
  Action action = Action::store;
  Values values = Values::one;
  std::int32_t count = 0;  // for Values::fixed
  /// A converter in recipe/arguments/flag_values.h: int, float, str, bool (Python's: any text
  /// except "" is true); enum and cuda_graph_modules (`choices` are the names that the conversion
  /// accepts, others raise KeyError there); moe_freq, la_freq, no_rope_freq (integer or Python list
  /// expression); tuple.
  std::string_view type;
  std::vector<std::string_view> choices;  // texts, as argparse compares them after conversion
  expr::Value constant;                   // store_const, and `?` without a value
  bool required = false;
};

/// All fields and flags of one framework at one version. Data: rules/vocabulary/{bridge,mlm}.yaml,
/// compiled by the build.
class Vocabulary {
 public:
  /// The newest known version is used for `head`, for an unknown newer one and by default; see
  /// `exact()`. An unknown version of a known minor series uses that series' known release, any
  /// other one the nearest older known one (or the oldest).
  static Vocabulary load(Framework framework, std::string_view version);

  /// The same from a table that `compile_vocabulary` made (recipe/vocabulary/vocabulary_yaml.h); it
  /// outlives the result.
  static Vocabulary load(Framework framework, std::string_view version, std::string_view table);

  Framework framework() const { return framework_; }

  std::string_view version() const { return version_; }  // the one whose tables are used

  bool exact() const { return exact_; }

  /// Whether the tables are also those of the version that was asked for: it is one of them, it is
  /// known to have the same fields, flags and defaults, or none was asked for. Otherwise an unknown
  /// flag may be known to that version, and the reverse.
  bool of_release() const { return of_release_; }

  /// Bridge: fields and defaults depend on the class in `_target_` of a section. Without it, the
  /// section has the fields of all its classes. An unknown class changes nothing and returns false;
  /// one that moved inside megatron.bridge is identified by its own name.
  bool use_class(std::string_view section, std::string_view target);

  /// Section and `_target_`, in the order of a recipe.
  using Classes = std::vector<std::pair<std::string, std::string>>;

  /// A copy for the classes that a recipe names. Recipes that name the same ones share the copy: it
  /// takes longer to make than a recipe to read, and a recipe is read anew for every fix of it that
  /// is tried. Any number of threads may call it.
  std::shared_ptr<const NarrowedVocabulary> narrowed(const Classes& classes) const;

  /// Null pointer if unknown. Megatron-LM: also by a further Bridge name of the same meaning
  /// (find("comm_overlap.bucket_size") gives "ddp.bucket_size").
  const FieldSpec* find(std::string_view canonical) const;
  const FieldSpec* find_attribute(std::string_view attribute) const;  // mlm

  /// The default of a field; unset for one without a default, and for a name that is unknown.
  expr::Value default_of(std::string_view canonical) const;

  /// Bridge: whether the loader would keep such a key: a field, or a key below a section or field
  /// that accepts any (env_vars.X, dataset.dataset_kwargs.x), or one of Hydra's own (`_target_`).
  bool knows(std::string_view path) const;

  /// Sorted by name. Bridge: each section is a field too; only one that is null unless the recipe
  /// has it has a default.
  const std::vector<FieldSpec>& fields() const { return fields_; }

  std::vector<std::string_view> names() const;

  bool has_section(std::string_view section) const;  // bridge: "model", "comm_overlap", …

  /// Bridge: whether the section's class stops the launch at an unknown key, which others let the
  /// loader drop. After `use_class`.
  bool refuses_keys(std::string_view section) const;

  /// Bridge: all classes of this version that a `_target_` of the section may name, in full.
  std::vector<std::string_view> classes_of(std::string_view section) const;

  /// Bridge: classes of this version with a field that `use_class` removed:
  /// classes_with("model.q_lora_rank") → {"MLAModelProvider", …}, sorted, unique.
  std::vector<std::string_view> classes_with(std::string_view canonical) const;

  /// Which versions have a field, class, attribute or flag that this one lacks: "known since
  /// 0.18.2", "known until 0.16.1", "known only in 0.17.1", "known from 0.16.1 to 0.17.1"; "" if
  /// none does.
  std::string history(std::string_view name_or_flag) const;

  const std::vector<Flag>& flags() const { return flags_; }

  /// Exact spelling.
  const Flag* flag(std::string_view spelling) const;

  /// All spellings with this prefix, sorted. Megatron-LM's parser accepts no abbreviations in any
  /// known version: this is for messages.
  std::vector<std::string_view> spellings_starting(std::string_view prefix) const;

  /// Known framework versions, oldest first.
  static std::vector<std::string_view> versions(Framework framework);
  static std::vector<std::string_view> versions(Framework framework, std::string_view table);

 private:
  using Index = std::vector<std::pair<std::string_view, int>>;  // sorted by text
  struct Copies;

  /// Makes `find` fast again after the last use_class.
  void index_names();

  void load_sections(const FrameworkTable& table);
  void load_arguments(const FrameworkTable& table);

  Framework framework_ = Framework::bridge;
  std::string_view version_;
  int version_index_ = 0;
  bool exact_ = true;
  bool of_release_ = true;
  std::string_view table_;  // of this framework
  std::vector<FieldSpec> fields_;
  std::vector<Flag> flags_;
  std::vector<std::string_view> sections_;       // sorted
  std::vector<std::string_view> free_sections_;  // accept any keys
  std::vector<std::string> strict_sections_;     // reject unknown keys
  Index attributes_;
  Index aliases_;
  Index spellings_;
  // of fields, and aliases that are not fields; null pointer: since use_class, names are searched for
  std::shared_ptr<const std::unordered_map<std::string_view, int>> by_name_;
  std::shared_ptr<Copies> copies_;  // null pointer: since use_class, and in a copy
};

struct NarrowedVocabulary {
  Vocabulary vocabulary;
  std::vector<std::string> unknown;  // sections whose class is not in the tables
};

}  // namespace epwise::recipe
