/// Any bytes as the log of a job: every error stands on a line that is there, ranks are sorted and
/// each once, and who is suspected, what is recognised and what is advised ends soon. A first byte
/// of 1: a log of known lines, which the bytes behind it choose.
#include <algorithm>
#include <array>
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
#include "support/choices.h"
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

/// Lines as jobs write them; `@` is a number or a word, `%` the name of a field or flag.
std::string made_log(epwise::support::Choices& choices) {
  constexpr std::array<std::string_view, 7> kFronts = {
      "", "[rank@]: ", "@: ", "[default@]:", "node@: ", "(Worker pid=@) ", "\x1b[36m@\x1b[0m "};
  constexpr std::array<std::string_view, 22> kLines = {
      "Traceback (most recent call last):",
      "  File \"/opt/megatron/core/transformer/moe/router.py\", line @, in forward",
      "  File \"/opt/megatron/training/arguments.py\", line @, in validate_args",
      "    assert args.% % args.% == 0",
      "AssertionError: % (@) must be divisible by % (@)",
      "ValueError: % must be @",
      "TypeError: __init__() got an unexpected keyword argument '%'",
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate @ GiB. GPU @ has @ GiB",
      "torch.distributed.DistBackendError: NCCL error in: ncclInternalError, @",
      "[E ProcessGroupNCCL.cpp:@] [Rank @] Watchdog caught collective operation timeout: "
      "WorkNCCL(SeqNum=@, OpType=ALLTOALL_BASE, NumelIn=@, Timeout(ms)=@) ran for @ milliseconds",
      "usage: pretrain_gpt.py [-h] [--% %]",
      "pretrain_gpt.py: error: argument --%: invalid choice: '@' (choose from 'a', 'b')",
      "pretrain_gpt.py: error: unrecognized arguments: --% @",
      "pretrain_gpt.py: error: argument --%: invalid int value: '@'",
      "srun: error: node@: task @: Exited with exit code @",
      "slurmstepd: error: *** STEP @ CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***",
      "During handling of the above exception, another exception occurred:",
      "The above exception was the direct cause of the following exception:",
      "  [Previous line repeated @ more times]",
      "RuntimeError: CUDA error: device-side assert triggered",
      "iteration @/@ | elapsed time per iteration (ms): @ | lm loss: @",
      "  ^^^^^"};
  constexpr std::array<std::string_view, 3> kEnds = {"\n", "\r\n", "\r"};
  const auto& fields = epwise::support::head_vocabulary(epwise::recipe::Framework::bridge).fields();
  std::string log;
  const auto add = [&](std::string_view text) {
    for (const char sign : text) {
      if (sign == '@') {
        log += choices.of(epwise::support::kValues);
      } else if (sign == '%') {
        const std::string_view name = choices.of(fields).name;
        log += name.substr(name.find('.') + 1);
      } else {
        log += sign;
      }
    }
  };
  for (std::size_t lines = choices.below(40); lines > 0 && !choices.done(); --lines) {
    add(choices.of(kFronts));
    add(choices.of(kLines));
    log += choices.below(4) == 0 ? choices.of(kEnds) : "\n";
  }
  return log;
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
  epwise::support::Choices choices(data + 1, size == 0 ? 0 : size - 1);
  const std::string bytes = epwise::support::is_structured(data, size)
                                ? made_log(choices)
                                : std::string(reinterpret_cast<const char*>(data), size);
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
