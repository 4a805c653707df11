#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expr/value.h"
#include "recipe/framework.h"
#include "recipe/vocabulary/vocabulary.h"
#include "text/diagnostic.h"

namespace epwise::recipe {

/// Where a value came from.
enum class Origin : std::uint8_t { written, override_word, environment, framework_default };

std::string_view to_string(Origin origin);  // "written", "override", "environment", "default"

/// One value that the user gave, with where it stands.
struct Field {
  std::string name;   // canonical, see FieldSpec
  expr::Value value;  // as the framework's loader types it; Unknown for `${X}` that nothing binds
  text::Mark key;
  text::Mark mark;  // of the value; the key's for a bare flag
  Origin origin = Origin::written;
  std::string spelling;  // as the user wrote the name: "--num-experts", "model.num_moe_experts",
                         // "++model.x"
};

/// An environment variable that the recipe itself sets (ENV_VARS, env_vars).
struct Variable {
  expr::Value
      value;  // text; Unknown when it holds an unbound `${X}`; unset when the recipe clears it
  text::Mark key;
  text::Mark mark;
  bool was_text =
      true;  // false: YAML boolean, number or null that the framework turns into text ("True")
};

/// What one document of one file (plus overrides) says, before any framework touched it.
struct Recipe {
  Framework framework = Framework::bridge;
  std::string path;  // as given; "a.yaml#2" for a later document
  std::vector<std::shared_ptr<const text::SourceFile>>
      files;                                     // marks point into these; the recipe file first
  std::shared_ptr<const text::SourceFile> base;  // Bridge: what it is laid over; one of the files
  std::map<std::string, Field, std::less<>> fields;  // by canonical name
  std::map<std::string, text::Mark, std::less<>>
      sections;     // Bridge: sections that are present and not null, by name
  text::Mark root;  // the mapping that holds everything, for "missing" findings
  std::map<std::string, Variable, std::less<>> variables;
  std::map<std::string, expr::Value, std::less<>>
      raw;  // facts about the file itself: "raw.unknown_flags", …
  /// Bridge: the vocabulary with the classes that this recipe names, where it names some; null
  /// pointer otherwise.
  std::shared_ptr<const Vocabulary> vocabulary;
  std::string model_class;  // Bridge: `_target_` of the model section; may be empty
  std::vector<text::Diagnostic> diagnostics;
  std::string header;    // text behind a "# epwise:" comment of the first lines, may be empty
  bool readable = true;  // false: nothing of it could be used

  const Field* find(std::string_view canonical) const;

  /// The recipe's own vocabulary where it has one, else that of its framework version. The result
  /// lives as long as both.
  const Vocabulary& vocabulary_or(const Vocabulary& general) const {
    return vocabulary ? *vocabulary : general;
  }

  /// Bridge: the dotted path where the recipe has a field, or would have it. Models of newer
  /// versions keep the transformer's fields one level deeper: model.num_layers stands at
  /// "model.transformer.num_layers" there.
  std::string path_of(std::string_view canonical) const;
};

}  // namespace epwise::recipe
