#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "session/options/arguments.h"
#include "ui/console.h"
#include "ui/exit_code.h"

namespace epwise::cli {

/// One question.
struct Question {
  std::string text;      // "GPUs"
  std::string fallback;  // the answer on Enter; empty: an answer is required
  std::string help;      // the output of `?`, without a line end
  /// Stores the answer and returns an empty text, or returns what is wrong with it.
  std::function<std::string(const std::string& answer)> take;
};

/// A step of an interview; skipped if `applies` returns false. Questions are created when they are
/// asked, because defaults depend on earlier answers.
struct Step {
  std::function<Question()> question;
  std::function<bool()> applies = {};  // empty: always
};

/// Asks questions one after another on a terminal. Enter accepts the value in brackets, `?`
/// explains, `back` returns to the previous question, `quit` and end of input exit.
///   GPUs [64]: ?
///     How many GPUs the run has, all nodes together.
///   GPUs [64]: 128
class Interview {
 public:
  Interview(std::istream& in, std::ostream& out) : in_(in), out_(out) {}

  /// From this step on; false: the user quit.
  bool run(const std::vector<Step>& steps, std::size_t from = 0);

 private:
  enum class Outcome : std::uint8_t { answered, back, quit };

  Outcome ask(const Question& question);

  std::istream& in_;
  std::ostream& out_;
};

/// The result of a printed advice.
struct Advised {
  ExitCode code = ExitCode::clean;
  std::string planned;  // the recipe's text with the first plan applied; empty if there is none
};

/// Whether questions can be asked: input and output are terminals, and --no-input is not given.
bool can_ask(const Console& console, const Arguments& arguments);

/// What is done with a starter recipe, which the console's files have; `layout`: in words, how it is
/// laid out.
using StarterUse = std::function<ExitCode(Console&, const Arguments&, const std::string& layout)>;

/// Runs `use` on the starter recipe of --model, --hw, --gpus and --ep. Throws os::UsageError for
/// unknown names, missing options and numbers that do not divide, os::MissingError if no layout
/// fits.
ExitCode with_starter(Console& console, const Arguments& arguments, const StarterUse& use);

/// `epwise advise` without a recipe, on a terminal: asks for model, hardware and further facts,
/// finds a layout that fits, lets `advise` print its report, and writes the starter recipe if the
/// user wants it. Options give the defaults of the questions.
ExitCode interview_for_advice(Console& console,
                              const Arguments& arguments,
                              const std::function<Advised(Console&, const Arguments&)>& advise);

}  // namespace epwise::cli
