#pragma once

#include <string>
#include <vector>

#include "ui/console.h"

namespace epwise::cli {

/// The whole program except the process itself: all input and output goes through the session, so
/// that tests run it in memory.
///
///   App({in, out, err, files, variables, terminal}).run({"lint", "recipe.yaml"}) → exit code
class App {
 public:
  explicit App(const Console& console) : console_(console) {}

  /// `words`: the command line without the program name. Never throws; reports failures on `err`
  /// and by a code of exit_code.h.
  int run(const std::vector<std::string>& words);

 private:
  int dispatch(const std::vector<std::string>& all);

  Console console_;
};

}  // namespace epwise::cli
