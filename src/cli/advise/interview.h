#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace epwise::cli {

/// One thing to ask.
struct Question {
  std::string text;      // "GPUs"
  std::string fallback;  // what Enter means; empty: an answer is needed
  std::string help;      // what `?` prints, without line end
  /// Takes the answer over and returns nothing, or what is wrong with it.
  std::function<std::string(const std::string& answer)> take;
};

/// A step of an interview; not asked where `applies` says so. Questions are made when they are
/// asked, because defaults follow from answers.
struct Step {
  std::function<Question()> question;
  std::function<bool()> applies = {};  // empty: always
};

/// Asks one question after the other on a terminal. Enter takes what stands in brackets, `?`
/// explains, `back` returns to the question before, `quit` and the end of input end it.
///   GPUs [64]: ?
///     How many GPUs the run has, all nodes together.
///   GPUs [64]: 128
class Interview {
 public:
  Interview(std::istream& in, std::ostream& out) : in_(in), out_(out) {}

  /// From this step on; false: the user has quit.
  bool run(const std::vector<Step>& steps, std::size_t from = 0);

 private:
  enum class Outcome : std::uint8_t { answered, back, quit };

  Outcome ask(const Question& question);

  std::istream& in_;
  std::ostream& out_;
};

}  // namespace epwise::cli
