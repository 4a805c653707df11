#pragma once

#include <memory>
#include <string>
#include <vector>

#include "commands/lsp/lint_service.h"
#include "session/options/arguments.h"
#include "session/workspace.h"
#include "ui/command.h"
#include "ui/console.h"

namespace epwise::cli {

/// Lints a document of an editor like `epwise lint` lints a file at that path, with the settings of
/// the editor, the options of `epwise lsp`, the recipe's header and the configuration, in order of
/// precedence.
class EditorService final : public lsp::LintService {
 public:
  EditorService(const Console& console, const Arguments& arguments);

  void set(const lsp::Settings& settings, const std::string& root) override;
  void forget() override;
  std::string name_of(const std::string& absolute) const override;
  std::shared_ptr<const lsp::LintedDocument> lint(
      const std::shared_ptr<const text::SourceFile>& file) override;

 private:
  void open_workspace();
  void fill(lsp::LintedDocument& reading);

  const Console& console_;
  const Arguments& arguments_;
  Arguments editor_arguments_;
  std::unique_ptr<Workspace> workspace_;
};

/// The options of `epwise lsp`, which an editor's settings may also use.
std::vector<Option> editor_options();

}  // namespace epwise::cli
