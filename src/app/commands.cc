#include "commands/all.h"

namespace epwise::cli {

std::vector<Command> commands() {
  return {
      lint_command(),        watch_command(),   gate_command(),     baseline_command(),
      whatif_command(),      why_command(),     simulate_command(), compare_command(),
      advise_command(),      explore_command(), diff_command(),     cost_command(),
      calibrate_command(),   learn_command(),   explain_command(),  rules_command(),
      recipes_command(),     models_command(),  hw_command(),       support_command(),
      doctor_command(),      config_command(),  lsp_command(),      schema_command(),
      completions_command(), help_command(),
  };
}

}  // namespace epwise::cli
