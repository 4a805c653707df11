#include "cli/format_option.h"

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

}  // namespace epwise::cli
