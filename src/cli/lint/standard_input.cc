#include "cli/lint/standard_input.h"

#include <istream>
#include <iterator>
#include <ostream>

#include "world/files.h"

namespace epwise::cli {

std::string read_standard_input(const Arguments& arguments, Session& session) {
  if (session.terminal.in) {
    if (arguments.flag("--no-input")) {
      throw world::UsageError(
          "`-` would read the recipe from the terminal, which --no-input forbids");
    }
    session.err << "epwise: reading the recipe from the terminal, Ctrl-D ends it\n";
  }
  return {std::istreambuf_iterator<char>(session.in), std::istreambuf_iterator<char>()};
}

}  // namespace epwise::cli
