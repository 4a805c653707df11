#include "ui/command.h"

namespace epwise::cli {

Option format_option() {
  return {.name = "--format",
          .short_name = "-f",
          .arity = Option::Arity::one,
          .value = "NAME",
          .summary = "text (default) or json",
          .words = {"text", "json"},
          .completion = Completion::words};
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
       .summary = "print only errors and warnings",
       .variable = "EPWISE_QUIET"},
      {.name = "--verbose",
       .short_name = "-v",
       .summary = "print more detail about what was done",
       .variable = "EPWISE_VERBOSE"},
      {.name = "--no-input",
       .summary = "never prompt on a terminal",
       .variable = "EPWISE_NO_INPUT"},
      {.name = "-h", .summary = "examples and common options"},
      {.name = "--help", .summary = "the full description"},
  };
}

std::vector<Option> root_options() {
  std::vector<Option> options = common_options();
  options.push_back({.name = "--version",
                     .short_name = "-V",
                     .summary = "versions of the program, its rules and its tables"});
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
