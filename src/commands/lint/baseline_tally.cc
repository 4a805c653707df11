#include "commands/lint/baseline_tally.h"

#include "session/files/places.h"

namespace epwise::cli {

void BaselineTally::add(const LintOutcome& outcome, const Checkout& checkout) {
  for (const LintOutcome::Known& known : outcome.known) {
    auto use = uses_.find(known.baseline->path());
    if (use == uses_.end()) {
      use = uses_.emplace(known.baseline->path(), session::BaselineUse(*known.baseline)).first;
    }
    use->second.add(checkout, *known.recipe, known.entries);
  }
}

std::vector<report::BaselineCount> BaselineTally::counts(const os::Files& files,
                                                         const Checkout& checkout) const {
  std::vector<report::BaselineCount> counts;
  for (const auto& [path, use] : uses_) {
    counts.push_back(use.count([&](const std::string& name) {
      return files.is_file(join(checkout.root, session::Baseline::file_of(name)));
    }));
  }
  return counts;
}

void add_count(const report::BaselineCount& count, report::LintReport& report) {
  auto& all = report.baseline ? *report.baseline : report.baseline.emplace();
  all.path += (all.path.empty() ? "" : ", ") + count.path;
  all.known += count.known;
  all.settled += count.settled;
}

}  // namespace epwise::cli
