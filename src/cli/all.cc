#include "cli/commands/all.h"

namespace epwise::cli {

std::vector<Command> commands() {
  return {
      lint_command(),  gate_command(),     baseline_command(),    whatif_command(),
      why_command(),   simulate_command(), compare_command(),     advise_command(),
      diff_command(),  cost_command(),     calibrate_command(),   explain_command(),
      rules_command(), hw_command(),       doctor_command(),      config_command(),
      lsp_command(),   schema_command(),   completions_command(), help_command(),
  };
}

std::vector<Option> common_options() {
  return {
      {.name = "--color",
       .arity = Option::Arity::one,
       .value = "WHEN",
       .summary = "auto (default), always or never",
       .variable = "EPWISE_COLOR",
       .words = {"auto", "always", "never"},
       .completion = Completion::words},
      {.name = "--quiet",
       .short_name = "-q",
       .summary = "print findings and errors only",
       .variable = "EPWISE_QUIET"},
      {.name = "--verbose",
       .short_name = "-v",
       .summary = "say more about what was done",
       .variable = "EPWISE_VERBOSE"},
      {.name = "--no-input",
       .summary = "never read from a terminal",
       .variable = "EPWISE_NO_INPUT"},
      {.name = "-h", .summary = "examples and the usual options"},
      {.name = "--help", .summary = "all there is to say"},
  };
}

std::vector<Option> root_options() {
  std::vector<Option> options = common_options();
  options.push_back({.name = "--version",
                     .short_name = "-V",
                     .summary = "version of the program, its rules and its tables"});
  return options;
}

std::vector<Option> all_options(const Command& command) {
  std::vector<Option> options = command.options;
  for (const Option& option : common_options()) {
    options.push_back(option);
  }
  return options;
}

}  // namespace epwise::cli
