#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/text/diagnostic.h"
#include "base/text/source_file.h"
#include "session/analysis.h"

namespace epwise::lsp {

/// The result of linting one version of a text.
struct LintedDocument {
  std::shared_ptr<const text::SourceFile> file;
  std::vector<session::Analysis> analyses;
  /// Absolute paths of other files that were read: the base recipe, files that a script reads.
  std::map<const text::SourceFile*, std::string> paths;

  bool skipped = false;                  // not a recipe at all: nothing is reported
  std::string problem;                   // invalid header, settings or configuration
  std::vector<text::Diagnostic> faults;  // for a configuration file itself
};

/// The editor user's settings: command-line options without dashes and their values, {"hw",
/// "gb200"}. Options with several values appear several times.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// Reads and lints the editor's documents; implemented by the command line. Not thread-safe.
class LintService {
 public:
  virtual ~LintService() = default;

  /// From here on. `root`: the folder that the editor has open, absolute or empty. Throws
  /// os::UsageError for a name or value that there is not.
  virtual void set(const Settings& user_settings, const std::string& root) = 0;

  /// Files on disk (configurations, base recipes, rules) may have changed.
  virtual void forget() = 0;

  /// How findings name a file: relative to the working directory if it is below it.
  virtual std::string name_of(const std::string& absolute) const = 0;

  /// Never throws for the contents of the text, the configuration or the settings; never writes.
  virtual std::shared_ptr<const LintedDocument> lint(
      const std::shared_ptr<const text::SourceFile>& file) = 0;
};

}  // namespace epwise::lsp
