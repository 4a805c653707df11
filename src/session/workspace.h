#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "session/analysis.h"
#include "session/document.h"
#include "session/host.h"
#include "session/settings/configuration.h"
#include "session/settings/settings.h"
#include "session/target/resolution.h"

namespace epwise::session {

/// Today's date in UTC, as in comments: "2026-11-22". EPWISE_TODAY overrides it for reproducible
/// runs.
std::string today(const os::Variables& variables);

/// The options of a command, an editor or a caller in code, which apply to every input.
struct Given {
  std::vector<TargetSettings> targets;  // the strongest first
  RunSettings run;
  std::string configuration;        // --config: a file, "none", or empty: search
  std::string entry;                // --target: an entry of `targets`; empty: by its paths
  std::optional<Setting> baseline;  // --baseline: a file or "none"; nullopt: the configuration's
  bool baselines = true;            // false: no baseline applies, whatever names it
  bool comments = true;             // false: --no-ignores
  bool selects = true;              // false: all rules apply, whatever is selected or ignored
  DocumentChoice choice;
  std::vector<std::string> words;  // after `--`
};

/// What --framework, --hw, …, --select, …, --config, --target, --baseline, --no-ignores,
/// --document and the words after `--` set; only the options that the command has.
Given given_by(const Arguments& arguments);

/// Where a text comes from.
struct Source {
  std::string path;  // as shown; its folder decides which configuration applies
  /// Instead of the file's: standard input, an editor's buffer.
  std::optional<std::string> text = std::nullopt;
  bool words_only = false;  // no text: `epwise lint -- --num-layers 4`
  int number = 0;           // only this recipe of the text, from 1; 0: as --document says
  std::shared_ptr<const text::SourceFile> file = nullptr;  // instead of both, where it was read
};

/// The settings of an input from outside its own text. Inputs of one configuration share it.
struct InputSettings {
  const Configuration* configuration = nullptr;
  const TargetEntry* entry = nullptr;  // null pointer: none covers the input
  RunSettings run;                     // options before configuration
  std::shared_ptr<const lint::Knowledge> knowledge;
  lint::Selection selection;
  bool selects_any = true;  // some rule is left after --select and --ignore
  Threshold threshold;
  std::shared_ptr<const Severities> severities;  // null pointer: the rules' own
  std::shared_ptr<const Baseline> baseline;      // null pointer: none
};

/// How a recipe gets from disk to answers:
///
///   1. `settings_of` finds the `.epwise.yaml` that applies to a path and its entry of `targets`.
///   2. `open` reads the text and its header, and resolves everything that options, header and
///      configuration set, the strongest first: a Document.
///   3. `analyze` reads the document as recipes, lints each on its target, and applies what the
///      user accepts: comments, severities, baseline. The result is an Analysis.
///   4. Every command asks the analysis: `lint` prints it, `--fix` and `advise` try changes on it
///      (Analysis::with), `whatif` other targets (Analysis::on), `simulate` predicts it.
///
/// A workspace holds what inputs share: configurations, rules, vocabularies, baselines, the
/// machine. Each is read once. Safe to use from several threads; outlives its documents' host.
class Workspace {
 public:
  Workspace(const Host& host, Given given);

  const Host& host() const { return host_; }

  const Given& given() const { return given_; }

  /// Throws os::UsageError for what is wrong with the configuration, the options, the rules or
  /// the baseline that they name.
  const InputSettings& settings_of(const std::string& path);

  /// The rules of a folder and the built-in ones. Throws os::UsageError for a folder that is
  /// missing or broken.
  std::shared_ptr<const lint::Knowledge> knowledge(const RunSettings& run);

  /// Throws os::UsageError for settings that are wrong, os::MissingError for a file that
  /// can't be read.
  std::shared_ptr<const Document> open(const Source& source);

  /// Every target setting that applies to an input, the strongest first: those given, the
  /// recipe's header, the entry of `targets`, the rest of the configuration.
  std::vector<const TargetSettings*> sources_of(const InputSettings& settings,
                                                const TargetSettings& header) const;

  const Checkout& checkout();

  /// The machine that this process runs on.
  const ThisMachine& machine() const { return machine_; }

  const std::shared_ptr<Vocabularies>& vocabularies() const { return vocabularies_; }

 private:
  std::shared_ptr<const text::SourceFile> read(const Source& source) const;
  std::shared_ptr<const lint::Knowledge> rules_in(const std::optional<Setting>& folder);
  std::shared_ptr<const Baseline> baseline_of(const Configuration& configuration);
  InputSettings settle(const Configuration& configuration, const TargetEntry* entry);

  Host host_;
  Given given_;
  ThisMachine machine_;
  std::shared_ptr<Vocabularies> vocabularies_ = std::make_shared<Vocabularies>();
  std::string today_;

  std::mutex mutex_;  // guards what follows
  ConfigurationSearch configurations_;
  std::map<std::pair<const Configuration*, const TargetEntry*>, InputSettings> settings_;
  std::map<std::string, std::shared_ptr<const lint::Knowledge>> knowledge_;  // by rules directory
  std::map<std::string, std::shared_ptr<const Baseline>> baselines_;         // by file
  std::shared_ptr<const Checkout> checkout_;
};

}  // namespace epwise::session
