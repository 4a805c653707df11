#include "cli/completion/words.h"

#include "hw/profile.h"

namespace epwise::cli {

std::vector<std::string> option_words(const Option& option) {
  std::vector<std::string> words(option.words.begin(), option.words.end());
  if (option.completion == Completion::profiles) {
    words.emplace_back("auto");
    for (const hw::Profile& profile : hw::profiles()) {
      words.push_back(profile.name);
    }
  }
  return words;
}

Completion operand_completion(const Command& command) {
  return command.actions.empty() ? command.operands : Completion::words;
}

std::vector<std::string> operand_words(const Command& command) {
  return {command.actions.begin(), command.actions.end()};
}

}  // namespace epwise::cli
