#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/files/path_pattern.h"
#include "cli/settings/settings.h"
#include "text/diagnostic.h"
#include "text/source_file.h"

namespace epwise::cli {

/// One entry of `targets`: what files at certain places run on.
struct TargetEntry {
  std::string name;    // for --target; may be empty
  std::string source;  // ".epwise.yaml:7"
  std::vector<PathPattern> paths;
  TargetSettings settings;

  /// `path` is relative to the configuration's folder.
  bool covers(std::string_view path) const;
};

/// An entry of `severity`.
struct SeverityEntry {
  Setting rule;       // an id, a code, or how either begins
  std::string level;  // error, warning or note

  bool operator==(const SeverityEntry&) const = default;
};

/// One `.epwise.yaml`:
///
///   required_version: ">=0.1"
///   hw: gb200                     # what every recipe runs on …
///   gpus: 256
///   stack: nemo-25.09,te=2.14.0   # or a mapping {te: 2.14.0}
///   env: {CUDA_DEVICE_MAX_CONNECTIONS: 1, NCCL_IB_TC: }     # no value: unset
///   inputs: {host: 52us, nic_rate: 400Gbit/s}   # what is known of runs, for predictions
///   framework: bridge
///   purpose: benchmark
///   harness: {moe_a2a_overlap: true}
///   targets:                      # … unless one of these says otherwise; the first that fits
///   counts
///     - name: small
///       paths: [recipes/h100/]    # read like lines of a .gitignore
///       hw: h100
///       gpus: 16
///   select: [overlap/, EPO001]
///   ignore: [memory/hint]
///   fail_on: warning              # error | warning | note | never
///   strict: true
///   severity: {memory/: note, EPO014: error}   # of findings; the last entry that fits counts
///   baseline: .epwise-baseline.yaml            # relative to this file, as --baseline
///   rules: our-rules              # relative to this file
struct Configuration {
  std::string path;    // as shown: ".epwise.yaml", "../.epwise.yaml"; empty: there is none
  std::string folder;  // absolute
  TargetSettings target;
  std::vector<TargetEntry> targets;
  RunSettings run;
  std::vector<SeverityEntry> severity;
  std::optional<Setting> baseline;  // a file, as it is reached from the working directory
  std::optional<Setting> required_version;
};

/// Text → configuration, with every problem in it, in the order of the text: YAML errors, unknown
/// keys, values of the wrong kind. Names of profiles, rules and components are judged where they
/// are used. `rules` is resolved against `folder_shown`, the configuration's folder as the user
/// reaches it.
Configuration read_configuration(const text::SourceFile& file,
                                 std::string_view folder_shown,
                                 std::vector<text::Diagnostic>& problems);

/// Whether this program satisfies `required_version`: comma-separated bounds such as
/// ">=0.1,<0.3"; a bare version means exactly that one. nullopt when the text is no such list.
std::optional<bool> satisfies(std::string_view version, std::string_view bounds);

}  // namespace epwise::cli
