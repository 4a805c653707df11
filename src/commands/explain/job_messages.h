#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace epwise::audit {

/// Says in sentences what the sizes in PyTorch's out-of-memory message mean: whether memory was
/// fragmented, held outside PyTorch, by other processes or by graphs. Reads the wording of PyTorch
/// 1.x and 2.x; empty if the message has no sizes.
///   "Tried to allocate 9.27 GiB. … 60.90 GiB is reserved by PyTorch but unallocated" →
///   {"60.9 GiB were reserved but unused, more than the 9.3 GiB requested: …"}
std::vector<std::string> memory_facts(std::string_view message);

/// Whether the sizes exclude fragmentation: less is reserved and unused than was requested.
bool excludes_fragmentation(std::string_view message);

/// Says in sentences which ranks the lines of NCCL's watchdogs leave behind: per process group those
/// whose last completed or enqueued work is older than that of the others, and those in a row of
/// ranks that say nothing. Reads the wording of PyTorch 2.x; empty without such lines.
///   "[PG ID 12 PG GUID 37(EXPERT_MODEL_PARALLEL_GROUP) Rank 4] … last enqueued NCCL work: 5310,
///   last completed NCCL work: 5309" beside 5312 and 5311 of others →
///   {"EXPERT_MODEL_PARALLEL_GROUP: rank 4 is behind, at work 5310; the others are at 5312"}
std::vector<std::string> watchdog_facts(std::string_view log);

/// Says in a sentence that iterations ended long before the scheduler's time limit: the job hung.
/// Compares the times of the last line of an iteration and of Slurm's line, half an hour and ten
/// iterations apart or more; empty otherwise.
///   "[2026-11-20 09:58:01] iteration 100/ 500 | … elapsed time per iteration (ms): 5500.0" and
///   "CANCELLED AT 2026-11-20T12:00:03 DUE TO TIME LIMIT" → {"the last iteration was logged 2.0 h
///   before the limit: …"}
std::vector<std::string> time_limit_facts(std::string_view log);

/// What the lines of iterations say of a run that reports no error.
struct StepStory {
  std::string message;  // "steps that took far longer …"; empty if there is nothing to say
  int line = 0;         // of the log: the longest step, or the last one that was skipped
  std::vector<std::string> facts;  // in sentences
};

/// Iterations that Megatron's optimizer skipped, one in twenty or more, or else those that took over
/// twice the median where they cost a tenth of the time or more, and times that grow by a third from
/// the first to the last quarter. The first tenth of the lines, which warms up, does not count. Of less
/// than twenty lines, only growth by half from line to line.
///   "iteration 30/ 500 | … elapsed time per iteration (ms): 9000.0 |" beside 4000.0 of others →
///   {"steps that took far longer than the others", 30, {"3 of 45 steps took more than twice …"}}
StepStory step_story(std::string_view log);

}  // namespace epwise::audit
