#pragma once

#include "ui/command.h"

/// One function per subcommand, each in a file of the same name.
namespace epwise::cli {

Command lint_command();
Command watch_command();
Command whatif_command();
Command why_command();
Command simulate_command();
Command compare_command();
Command advise_command();
Command explore_command();
Command baseline_command();
Command gate_command();
Command cost_command();
Command explain_command();
Command rules_command();
Command recipes_command();
Command models_command();
Command hw_command();
Command support_command();
Command doctor_command();
Command calibrate_command();
Command learn_command();
Command config_command();
Command lsp_command();
Command diff_command();
Command schema_command();
Command completions_command();
Command help_command();

}  // namespace epwise::cli
