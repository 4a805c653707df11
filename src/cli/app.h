#pragma once

#include <string>
#include <vector>

#include "cli/session.h"

namespace epwise::cli {

/// The whole program but for its process: everything it reads and writes comes in through the
/// session, so that tests run it in memory.
///
///   App({in, out, err, files, variables, terminal}).run({"lint", "recipe.yaml"}) → exit code
class App {
 public:
  explicit App(const Session& session) : session_(session) {}

  /// `words`: the command line without the program's name. Never throws; what went wrong is one or
  /// more lines on `err` and a code of exit_code.h.
  int run(const std::vector<std::string>& words);

 private:
  int dispatch(const std::vector<std::string>& all);

  Session session_;
};

}  // namespace epwise::cli
