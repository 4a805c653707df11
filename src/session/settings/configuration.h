#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/files.h"
#include "base/text/diagnostic.h"
#include "base/text/source_file.h"
#include "session/files/file_selection.h"
#include "session/settings/settings.h"

namespace epwise::session {

/// One entry of `targets`: the target of files at certain paths.
struct TargetEntry {
  std::string name;    // for --target; may be empty
  std::string source;  // ".epwise.yaml:7"
  std::vector<PathPattern> paths;
  TargetSettings settings;

  /// `path` is relative to the configuration's directory.
  bool covers(std::string_view path) const;
};

/// An entry of `severity`.
struct SeverityEntry {
  Setting rule;       // an id, a code, or a prefix of either
  std::string level;  // error, warning or note

  bool operator==(const SeverityEntry&) const = default;
};

/// One `.epwise.yaml`:
///
///   required_version: ">=0.1"
///   hw: gb200                     # the target of every recipe …
///   gpus: 256
///   stack: nemo-25.09,te=2.14.0   # or a mapping {te: 2.14.0}
///   env: {CUDA_DEVICE_MAX_CONNECTIONS: 1, NCCL_IB_TC: }     # no value: unset
///   inputs: {host: 52us, nic_rate: 400Gbit/s}   # known facts about runs, for predictions
///   framework: bridge
///   purpose: benchmark
///   harness: {moe_a2a_overlap: true}
///   targets:                      # … unless one of these states otherwise; the first match
///   applies
///     - name: small
///       paths: [recipes/h100/]    # read like lines of a .gitignore
///       hw: h100
///       gpus: 16
///   select: [overlap/, EPO001]
///   ignore: [memory/hint]
///   extend_select: [memory/]      # in addition to `select`, also in spite of `ignore`
///   extend_ignore: [price/]       # in addition to `ignore`
///   fail_on: warning              # error | warning | note | never | hang | wrong | memory | slow
///   strict: true
///   severity: {memory/: note, EPO014: error}   # of findings; the last match applies
///   baseline: .epwise-baseline.yaml            # relative to this file, as --baseline
///   rules: our-rules              # relative to this file
struct Configuration {
  std::string path;    // as displayed: ".epwise.yaml", "../.epwise.yaml"; empty: there is none
  std::string folder;  // absolute
  TargetSettings target;
  std::vector<TargetEntry> targets;
  RunSettings run;
  std::vector<SeverityEntry> severity;
  std::optional<Setting> baseline;  // a file, relative to the working directory
  std::optional<Setting> required_version;
};

/// Text → configuration, with all problems in text order: YAML errors, unknown keys, values of the
/// wrong type. Names of profiles, rules and components are checked where they are used. `rules` is
/// resolved relative to `folder_shown`, the configuration's directory as the user reaches it.
Configuration read_configuration(const text::SourceFile& file,
                                 std::string_view folder_shown,
                                 std::vector<text::Diagnostic>& problems);

/// Whether this program satisfies `required_version`: comma-separated bounds such as ">=0.1,<0.3";
/// a bare version means exactly that one. nullopt if the text is not such a list.
std::optional<bool> satisfies(std::string_view version, std::string_view bounds);

/// Finds the `.epwise.yaml` of each input: the nearest one between the input's directory and the
/// root of its repository, never beyond it, and never more than one. Each file is read once.
class ConfigurationSearch {
 public:
  /// `chosen`: the file given by --config for all inputs; "none" for no configuration; empty:
  /// search.
  ConfigurationSearch(const os::Files& files, std::string chosen, std::string_view tool_version);

  /// Throws os::UsageError naming every problem of the file with its line, a file that can't be
  /// read, and a `required_version` that this program does not satisfy.
  const Configuration& find(const std::string& path);

 private:
  const Configuration& read(const std::string& folder, const std::string& name);

  const os::Files& files_;
  std::string chosen_;
  std::string tool_version_;
  Configuration none_;
  std::map<std::string, std::unique_ptr<Configuration>> read_;  // by absolute path
  std::map<std::string, const Configuration*> found_;           // by directory of inputs as written
};

/// The entries of `targets` whose paths match no YAML file or script below the configuration's
/// directory: a renamed directory, a slip. Such an entry applies to nothing, and recipes that it was
/// meant for are checked without a target.
std::vector<const TargetEntry*> unused_targets(const os::Files& files,
                                               const Configuration& configuration);

/// The entry of `targets` that applies to an input: the one called `name`, or with an empty name
/// the first whose paths cover it; null pointer when none does. Throws os::UsageError when no
/// entry is called `name`.
const TargetEntry* find_entry(const os::Files& files,
                              const Configuration& configuration,
                              const std::string& path,
                              const std::string& name);

}  // namespace epwise::session
