#include "commands/lint/baseline_tally.h"

#include "commands/lint/fix_output.h"
#include "session/files/places.h"
#include "session/options/run_options.h"
#include "session/options/target_options.h"

namespace epwise::cli {

void BaselineTally::add(const LintOutcome& outcome) {
  for (const LintOutcome::Known& known : outcome.known) {
    auto use = uses_.find(known.baseline->path());
    if (use == uses_.end()) {
      use = uses_.emplace(known.baseline->path(), session::BaselineUse(*known.baseline)).first;
    }
    use->second.add(*known.recipe, known.target, known.entries, known.undecided);
  }
}

std::vector<report::BaselineCount> BaselineTally::counts(const os::Files& files) const {
  std::vector<report::BaselineCount> counts;
  for (const auto& each : uses_) {
    const session::BaselineUse& use = each.second;
    counts.push_back(use.count(
        [&](const std::string& name) { return files.is_file(use.baseline().place_of(name)); }));
  }
  return counts;
}

std::string prune_command(const Arguments& arguments, const std::string& path) {
  std::vector<std::string> words{"epwise", "baseline", "prune"};
  for (const std::vector<Option>& options : {session::target_options(),
                                             session::selection_options(),
                                             session::configuration_options()}) {
    for (const Option& option : options) {
      for (const Setting& setting : arguments.all(option.name)) {
        if (!setting.source.starts_with('-')) {
          continue;  // from a variable, which `baseline prune` reads too
        }
        words.emplace_back(option.name);
        if (option.arity != Option::Arity::flag) {
          words.push_back(setting.value);
        }
      }
    }
  }
  words.push_back(path);
  words.insert(words.end(), arguments.operands.begin(), arguments.operands.end());
  return shell_joined(words);
}

void add_count(const report::BaselineCount& count, report::LintReport& report) {
  auto& all = report.baseline ? *report.baseline : report.baseline.emplace();
  all.path += (all.path.empty() ? "" : ", ") + count.path;
  all.known += count.known;
  all.settled += count.settled;
}

}  // namespace epwise::cli
