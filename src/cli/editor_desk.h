#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/session.h"
#include "cli/settings/configuration_search.h"
#include "cli/settings/settings.h"
#include "cli/target/this_machine.h"
#include "cli/target/vocabularies.h"
#include "editor/desk.h"

namespace epwise::cli {

/// Lints what an editor holds as `epwise lint` lints a file at that place, with all that the
/// editor's settings, the options of `epwise lsp`, the recipe's header and the configuration say,
/// the strongest first.
class EditorDesk final : public editor::Desk {
 public:
  EditorDesk(const Session& session, const Arguments& arguments);

  void set(const editor::Wishes& wishes, const std::string& root) override;
  void forget() override;
  std::string name_of(const std::string& absolute) const override;
  std::shared_ptr<const editor::Reading> lint(
      const std::shared_ptr<const text::SourceFile>& file) override;

 private:
  void configure();
  void fill(editor::Reading& reading);
  void read_target(editor::Reading& reading, const TargetSettings& header);
  void lint(editor::Reading& reading);
  void accept_known(const Configuration& configuration, editor::Reading& reading) const;
  std::shared_ptr<const lint::Knowledge> knowledge(const std::optional<Setting>& folder);

  const Session& session_;
  const Arguments& arguments_;
  ThisMachine machine_;
  Vocabularies vocabularies_;
  std::string today_;
  Arguments wished_;
  TargetSettings wished_target_;
  TargetSettings given_target_;
  std::unique_ptr<ConfigurationSearch> configurations_;
  std::map<std::string, std::shared_ptr<const lint::Knowledge>> knowledge_;  // by folder of rules
};

/// The options of `epwise lsp`: those that an editor's settings may name too.
std::vector<Option> editor_options();

}  // namespace epwise::cli
