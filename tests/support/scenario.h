#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace epwise::support {

/// One session at the command line, as a file tells it:
///
///   # What must be true, in a sentence or two.
///   $ EPWISE_GPUS=64 epwise lint recipe.yaml --format concise
///   --- recipe.yaml
///   model: {num_moe_experts: 64}
///   --- stdin
///   …
///   --- forbidden secret.yaml
///   --- stdout
///   …
///   --- stderr
///   …
///   --- written out.json
///   …
///   --- exit 1
///
/// A line of text that begins with "--- " stands behind a backslash.
/// Everything behind "--- exit" is expectation; sections that expect nothing may be left out.
struct Scenario {
  std::string comment;                                     // with its "# "
  std::string command;                                     // behind "$ "
  std::vector<std::pair<std::string, std::string>> files;  // in the order of the file
  std::string input;
  std::vector<std::string> forbidden;

  struct Outcome {
    std::string out;
    std::string err;
    std::vector<std::pair<std::string, std::string>> written;
    int code = 0;

    bool operator==(const Outcome&) const = default;
  };

  Outcome expected;
};

/// Throws std::invalid_argument for a file that is no scenario.
Scenario parse_scenario(std::string_view text);

/// The file again, with another outcome.
std::string to_text(const Scenario& scenario, const Scenario::Outcome& outcome);

/// Runs it in memory.
Scenario::Outcome play(const Scenario& scenario);

}  // namespace epwise::support
