#pragma once

#include <functional>
#include <string>

#include "cli/arguments.h"
#include "cli/exit_code.h"
#include "cli/session.h"

namespace epwise::cli {

/// What became of an advice that was printed.
struct Advised {
  ExitCode code = ExitCode::clean;
  std::string planned;  // the recipe's text with the first plan; empty without one
};

/// Whether questions can be asked: both ends are a terminal, and nobody forbids it.
bool can_ask(const Session& session, const Arguments& arguments);

/// `epwise advise` without a recipe, on a terminal: asks for model, hardware and the rest, finds a
/// layout that fits, lets `advise` print its report on it, and writes the starter recipe where the
/// user wants it. What the options say is the default of the questions.
ExitCode interview_for_advice(Session& session,
                              const Arguments& arguments,
                              const std::function<Advised(Session&, const Arguments&)>& advise);

}  // namespace epwise::cli
