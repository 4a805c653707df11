/// Any bytes as the log of a job: every error stands on a line that is there, ranks are sorted and
/// each once, and who is suspected, what is recognised and what is advised ends soon.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "commands/explain/crash_log.h"
#include "commands/explain/flag_advice.h"
#include "commands/explain/flight_record.h"
#include "commands/explain/suspects.h"
#include "commands/explain/troubles.h"
#include "lint/knowledge.h"
#include "support/fuzz_target.h"
#include "support/head_vocabulary.h"
#include "support/require.h"

namespace {

/// One rule in so many: each costs every error a comparison of words.
epwise::lint::Knowledge sparse() {
  constexpr std::size_t kOneIn = 24;
  auto knowledge = epwise::lint::load_knowledge();
  for (std::size_t i = 0; i * kOneIn < knowledge.rules.size(); ++i) {
    knowledge.rules[i] = knowledge.rules[i * kOneIn];
  }
  knowledge.rules.resize(knowledge.rules.size() / kOneIn);
  return knowledge;
}

}  // namespace

FUZZ_TARGET(log) {
  using epwise::support::require;
  constexpr std::size_t kMost = 1U << 12U;
  constexpr std::size_t kMostCrashes = 2;  // whose causes are looked for
  static const auto kKnowledge = sparse();
  if (size > kMost) {
    return 0;
  }
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::string log = epwise::audit::without_colours(bytes);
  const auto line = epwise::audit::read_line(log);
  require(line.text.size() <= log.size());
  static_cast<void>(epwise::audit::is_of_logger(line));
  const auto lines = 1 + std::ranges::count(bytes, '\n') + std::ranges::count(bytes, '\r');
  auto read = epwise::audit::read_crashes(bytes);
  for (const auto& crash : read.crashes) {
    require(1 <= crash.line && crash.line <= lines && crash.times >= 1);
    require(std::ranges::is_sorted(crash.ranks, std::less_equal()));
  }
  read.crashes.resize(std::min(read.crashes.size(), kMostCrashes));
  auto all = read.crashes;
  for (auto& crash : epwise::audit::spoken_lines(log, kKnowledge)) {
    all.push_back(std::move(crash));
  }
  for (const auto& crash : all) {
    for (const auto& suspect : epwise::audit::suspects(crash, kKnowledge)) {
      require(suspect.rule != nullptr);
    }
    static_cast<void>(epwise::audit::recognise(crash, kKnowledge));
    static_cast<void>(epwise::audit::flag_advice(
        crash, epwise::support::head_vocabulary(epwise::recipe::Framework::mlm)));
  }
  static_cast<void>(epwise::audit::trouble_lines(log, kKnowledge));
  if (epwise::audit::is_flight_dump(bytes)) {
    try {
      const auto contents = epwise::audit::read_flight_dump(bytes);
      static_cast<void>(epwise::audit::read_flight({{"rank_0", contents}, {"rank_1", contents}}));
    } catch (const epwise::audit::DumpError&) {
      return 0;  // a reason is enough
    }
  }
  return 0;
}
