#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lint/engine.h"
#include "lint/facts/target.h"
#include "lint/knowledge.h"
#include "recipe/load.h"
#include "session/baseline.h"
#include "session/options/arguments.h"
#include "session/settings/run_settings.h"
#include "session/target/resolution.h"
#include "yaml/edit.h"

namespace epwise::session {

/// Which documents of a YAML stream count.
struct DocumentChoice {
  bool merge = false;  // all of them as one recipe
  int number = 0;      // only this one, from 1; 0: all
};

/// "all", "merge" or a number from 1; throws os::UsageError.
DocumentChoice parse_document(const Setting& setting);

/// The text of a recipe, which edits change.
struct Draft {
  std::string bytes;               // the whole file, with its byte-order mark; empty without a file
  std::vector<std::string> words;  // after `--`
  yaml::ParsedText parsed = {};    // if an edit parsed the bytes, and they are still those

  bool is_parsed() const { return parsed.file != nullptr && parsed.file->bytes() == bytes; }

  bool operator==(const Draft& other) const { return bytes == other.bytes && words == other.words; }
};

/// What the user accepts, or weighs in another way than the rules do. Every analysis applies it, so
/// that every command gives the same answer.
struct Acceptance {
  bool comments = true;                          // such as `# epwise: ignore[PAR019]: reason`
  std::string today;                             // "2026-11-22", for comments that end on a day
  std::shared_ptr<const Severities> severities;  // null pointer: the rules' own
  std::shared_ptr<const Baseline> baseline;      // null pointer: none
};

/// One input, and everything that is settled about it before it is read as a recipe: its text, what
/// it runs on, which rules count, what is accepted. Workspace::open makes it; immutable and shared
/// from then on.
struct Document {
  std::string path;  // as shown
  std::shared_ptr<const lint::Knowledge> knowledge;
  lint::Selection selection;
  Threshold threshold;
  Acceptance acceptance;
  facts::Target target;  // without what a launch script determines
  std::shared_ptr<Vocabularies> vocabularies;
  recipe::Request request;  // file, framework, words, environment, base
  DocumentChoice choice;
  std::vector<Setting> inputs;  // of predictions, "host=40us", the weakest source first

  /// The text as the user wrote it.
  Draft draft() const;

  /// The file that holds a text of this document, which has a file, and its stream if it is parsed
  /// already.
  yaml::ParsedText text_of(const Draft& text) const;

  /// The tables of a framework in the version that a target's stack names. `model_class` (Bridge):
  /// the `_target_` of the model section; may be empty.
  const recipe::Vocabulary& vocabulary(const facts::Target& on,
                                       recipe::Framework framework,
                                       std::string_view model_class) const;

  /// All recipes of the text as the framework versions of a target read them. Never throws for
  /// what the text holds.
  std::vector<recipe::Recipe> load(const recipe::Request& text, const facts::Target& on) const;
};

}  // namespace epwise::session
