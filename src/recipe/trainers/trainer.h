#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "expr/value.h"
#include "recipe/framework.h"

namespace epwise::recipe {

/// A framework built on Megatron-Core that creates Megatron's configuration from its own settings
/// (verl, ROLL, …): the contents of src/recipe/trainers/<name>.yaml, embedded by the build.
struct Trainer {
  /// A key of the trainer's configuration and the field that it sets.
  struct Setting {
    // below the path of a role, beside it after "../", from the root after "/";
    // "override_ddp_config.*": every key of a mapping
    std::string key;
    std::string field;  // canonical; "ddp.*" for such a mapping
    /// The value if it is not written; nullopt: unknown.
    std::optional<expr::Value> otherwise = {};
  };

  std::string name;     // "verl"
  std::string title;    // "verl"
  std::string source;   // "volcengine/verl@b178a3cd5 verl/workers/megatron_workers.py"
  std::string version;  // the framework of the trainer whose names these are
  // the framework whose fields and launch stages these are
  Framework framework = Framework::bridge;
  std::vector<std::string> stages;  // stages of that framework's launch that also run here
  std::map<std::string, std::string> environment;  // set by the trainer unless set elsewhere
  // the source of everything that is neither written nor listed here: "the model's config.json"
  std::string rest;
  std::vector<Setting> settings;
  // fields, or sections as "train.*", that keep the framework's default unless written, except those
  // that the trainer decides from what its configuration does not say
  std::vector<std::string> untouched;
  std::vector<std::string> decides;
  // of a known model, the fields of the transformer that are not `untouched`, in addition to these
  std::vector<std::string> converted;
  // of a known model: values that the conversion sets in addition, and fields of `converted` that it
  // leaves unchanged
  std::map<std::string, expr::Value> of_model;
  std::vector<std::string> keeps;
  bool refuses_misspelt = false;  // a key that it does not know stops it; otherwise it is ignored
  bool keeps_defaults = true;  // false: a base configuration that cannot be read may set any field
  /// Sequence parallelism is switched off with one tensor-parallel rank.
  bool drops_lone_sequence_parallel = false;
  bool stops_at_unknown = false;  // an unknown option prevents the start
  /// Every option of its parser, and what that makes of the words behind it: bool, int, number, text
  /// (one word), list (several), any (releases differ). Empty: the options are not known.
  std::map<std::string, std::string, std::less<>> options;
  std::string waives_unknown;  // the option with which unknown ones are only logged
  /// Keys besides those of `settings` that a trainer reads which takes every key by its name. A field
  /// of Megatron-Core that is in neither has no effect there, but at `passes_on`. Empty: not known.
  std::vector<std::string> also_reads;
  std::string passes_on;         // "model_overrides"
  bool ignores_null = false;     // a null setting counts as not written
  bool words_are_lists = false;  // a single word counts as a one-item list where a list is expected
  bool none_is_null = false;     // the word "none" is null, as a value
  std::map<std::string, expr::Value> fixed;  // fields that it always sets itself
};

/// The table of a trainer: verl, roll, nemo_rl, swift, slime, nemo; `core` contains the shared
/// part. Throws std::logic_error for any other name and for an invalid table.
Trainer load_trainer(std::string_view name);

/// The keys of verl's own configuration for Megatron, of all releases that were read
/// (verl_keys.yaml). Hydra refuses any other key that is not added with `+`.
class VerlKeys {
 public:
  /// Read once.
  static const VerlKeys& embedded();

  /// Whether a release may have the path: it is a key, the parent of keys, or below a key, whose
  /// value may be a mapping; or no release has its parent, about which nothing is known then.
  ///   "actor_rollout_ref.rollout.n" → true;  "actor_rollout_ref.rollout.nn" → false
  bool may_know(std::string_view path) const;

  /// The keys beside a path, as paths; the views are valid as long as this.
  std::vector<std::string_view> siblings(std::string_view path) const;

 private:
  VerlKeys();

  std::set<std::string, std::less<>> paths_;
  std::set<std::string, std::less<>> parents_;  // and theirs; "" is the root
};

/// Flags of slime and of miles, with their dashes, and beginnings of others ("--sglang-").
struct SlimeFlags {
  std::vector<std::string> flags;
  std::vector<std::string> of_miles;  // those of `flags` that slime does not have
  std::vector<std::string> prefixes;
};

/// Read once.
const SlimeFlags& slime_flags();

}  // namespace epwise::recipe
