#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Logs of training runs: of Megatron-LM and Megatron-Bridge, and CSV exports of Weights & Biases
/// and TensorBoard.
namespace epwise::calibrate {

/// One line of iterations.
struct LoggedStep {
  int iteration = 0;
  double seconds = 0;  // of one iteration, the mean of those since the line before
  double tflops = 0;   // a GPU; 0: not printed
  int batch = 0;       // global, samples; 0: not printed
};

/// One run of a log. Where ranks or restarts repeat an iteration, the last line counts.
struct LoggedRun {
  std::vector<std::pair<std::string, std::string>> arguments;  // Megatron-LM's dump: name, value
  std::string configuration;                                   // Megatron-Bridge's dump: YAML
  std::vector<LoggedStep> steps;                               // by iteration
  double allocated = 0;                                        // bytes, peak; 0: not printed
  double reserved = 0;
};

/// All runs of a file; none if it is not a training log. A run begins with a dump, or where
/// iterations start again.
///
/// Recognised: `iteration 20/ 100 | … | elapsed time per iteration (ms): 21034.1 | throughput per
/// GPU (TFLOP/s/GPU): 350.2 | global batch size: 512 |`, behind any prefix of a launcher; Bridge's
/// `Step Time : 21.03s GPU utilization: 350.2MODEL_TFLOP/s/GPU` where no such line stands; `memory
/// (MB) | max allocated: … | max reserved: …` (2^20 bytes) and Bridge's `memory (GB) |
/// mem-max-allocated-gigabytes: …` (1e9 bytes); CSV with a column of iteration times, one run per
/// such column.
std::vector<LoggedRun> read_training_log(std::string_view text);

/// The steps of a run that say how long a step takes.
struct TypicalStep {
  double seconds = 0;  // median
  double spread = 0;   // relative, robust standard deviation of a line
  double tflops = 0;   // median; 0: not printed
  int batch = 0;
  int used = 0;     // lines
  int warm_up = 0;  // left out: the first lines
  int slow = 0;     // … checkpoints, evaluation and the like
  int ramp = 0;     // … with another batch
};

/// Leaves out warm-up (the first line; with ten lines or more a tenth of them), lines with another
/// batch than the most frequent one, and lines beyond a sixth of the median. `used` is 0 if nothing
/// remains.
TypicalStep typical_step(const LoggedRun& run);

}  // namespace epwise::calibrate
