#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "base/os/files.h"
#include "ui/exit_code.h"

namespace epwise::cli {

/// One recipe to predict.
struct PredictedInput {
  std::string path;
  bool named = true;  // false: found below a directory or by a pattern, and may be no recipe
};

/// The operands of a command that predicts: files in their order, and what directories and patterns
/// give in the place of each. Throws os::MissingError for one that gives nothing.
std::vector<PredictedInput> predicted_inputs(const os::Files& files,
                                             const std::vector<std::string>& operands);

/// Does `work` for one of several inputs: what goes wrong with it is printed, and does not keep the
/// others from theirs. `clean`, or the exit code of the error.
ExitCode attempt(std::ostream& err, const std::function<void()>& work);

/// Two directories: the files that both have, and those that only one has.
struct InputPairs {
  struct Pair {
    std::string a;
    std::string b;
  };

  std::vector<Pair> pairs;
  std::vector<std::string> only_a;  // paths
  std::vector<std::string> only_b;
};

InputPairs paired_inputs(const os::Files& files, const std::string& a, const std::string& b);

}  // namespace epwise::cli
