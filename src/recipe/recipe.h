#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"
#include "expr/value.h"
#include "recipe/framework.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

/// The source of a value.
enum class Origin : std::uint8_t { written, override_word, environment, framework_default };

std::string_view to_string(Origin origin);  // "written", "override", "environment", "default"

/// A value given by the user, with its location.
struct Field {
  std::string name;   // canonical, see FieldSpec
  expr::Value value;  // as typed by the framework's loader; Unknown for an unset `${X}`
  text::Mark key;
  text::Mark mark;  // of the value; the key's for a bare flag
  Origin origin = Origin::written;
  // the name as written: "--num-experts", "model.num_moe_experts", "++model.x"
  std::string spelling;
  // scripts: `8` of `EP=8`, where the mark is the `$EP` that uses it
  text::Mark definition = {};
};

/// An environment variable that the recipe itself sets (ENV_VARS, env_vars).
struct Variable {
  // text; Unknown if it contains an unset `${X}`; unset if the recipe clears it
  expr::Value value;
  text::Mark key;
  text::Mark mark;
  // false: YAML boolean, number or null that the framework converts to text ("True")
  bool was_text = true;
};

/// The contents of one document of one file (plus overrides), before any processing by a framework.
struct Recipe {
  Framework framework = Framework::bridge;
  std::string path;  // as given; "a.yaml#2" for a later document
  std::vector<std::shared_ptr<const text::SourceFile>>
      files;                                     // marks point into these; the recipe file first
  std::shared_ptr<const text::SourceFile> base;  // Bridge: the base recipe; one of the files
  std::map<std::string, Field, std::less<>> fields;  // by canonical name
  std::vector<Field> dropped;                        // Bridge: unknown keys that the loader drops
  std::map<std::string, text::Mark, std::less<>>
      sections;     // Bridge: sections that are present and not null, by name
  text::Mark root;  // the top-level mapping, for "missing" findings
  std::map<std::string, Variable, std::less<>> variables;
  // facts about the file itself: "raw.unknown_flags", …
  std::map<std::string, expr::Value, std::less<>> raw;
  /// Bridge: the vocabulary for the classes named by this recipe, if it names any; null pointer
  /// otherwise.
  std::shared_ptr<const Vocabulary> vocabulary;
  /// What a framework around Megatron (verl, …) was told, by "trainer." and its own key or flag:
  /// "trainer.policy.sequence_packing.enabled", "trainer.use_dynamic_batch_size". Shared by copies of
  /// the recipe; null pointer without such a framework.
  std::shared_ptr<const std::map<std::string, Field, std::less<>>> settings;
  std::string model_class;  // Bridge: `_target_` of the model section; may be empty
  /// Prefixes that the user's program registers for `_target_`: "acme.".
  std::vector<std::string> allowed_targets = {};
  std::vector<text::Diagnostic> diagnostics;
  std::string header;    // text after "# epwise:" in the first comment lines, may be empty
  bool readable = true;  // false: nothing in it was usable

  /// A field, or a setting by its name in `settings`; null pointer if it is not given.
  const Field* find(std::string_view canonical) const;

  /// The recipe's own vocabulary if it has one, otherwise that of its framework version. The result
  /// is valid as long as both.
  const Vocabulary& vocabulary_or(const Vocabulary& general) const {
    return vocabulary ? *vocabulary : general;
  }

  /// Bridge: the dotted path at which the recipe has a field, or would have it. Models of newer
  /// versions keep the transformer's fields one level deeper: model.num_layers is at
  /// "model.transformer.num_layers" there.
  std::string path_of(std::string_view canonical) const;

  /// The variable that a script takes in place of a command, whose text `need` begins with, or is:
  ///   "$(nvidia-smi)", in DEVICE=${DEVICE:-$(nvidia-smi)} → "DEVICE"
  /// Empty if there is none.
  std::string variable_instead_of(std::string_view need) const;

  /// Bridge: whether it names a class for this section that the tables of its release do not have.
  bool has_unknown_class(std::string_view section) const;

  /// What would determine words of the command that nobody can read and that may be any options, such
  /// as `$EXTRA_ARGS`; null pointer if all were read.
  const std::vector<std::string>* unread_words() const;

  /// Records them (raw.unread_words), so that no launch is certain to start; nothing without `needs`.
  void note_unread_words(const std::vector<std::string>& needs);
};

/// The first expression of a template engine in a text, as of Helm or Jinja, on one line; "" without
/// one. What it becomes is not known before the template is rendered.
///   "{{ .Values.layers }}" → all of it
std::string_view template_expression(std::string_view text);

}  // namespace epwise::recipe
