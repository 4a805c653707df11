#include "calibrate/import/training_log.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>

#include "base/text/ascii.h"
#include "calibrate/sampling/statistics.h"

namespace epwise::calibrate {

namespace {

constexpr double kMillisecond = 1e-3;
constexpr double kMegabyte = 1024.0 * 1024;
constexpr double kGigabyte = 1e9;

constexpr std::string_view kBlanks = " \t\r";

/// The number at the start of the text.
std::optional<double> number_at(std::string_view text) {
  text = text::trimmed(text, kBlanks);
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc() && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// The number after the first occurrence of `label`.
std::optional<double> number_behind(std::string_view line, std::string_view label) {
  const std::size_t at = line.find(label);
  return at == std::string_view::npos ? std::nullopt : number_at(line.substr(at + label.size()));
}

/// Without colours.
std::string plain(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b' && i + 1 < line.size() && line[i + 1] == '[') {
      i = std::min(line.find_first_of("ABCDHJKmsu", i), line.size());
      continue;
    }
    text += line[i];
  }
  return text;
}

class LogReader {
 public:
  std::vector<LoggedRun> read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      take(plain(text.substr(0, end)));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    close_configuration();
    finish();
    std::erase_if(runs_, [](const LoggedRun& run) { return run.steps.empty(); });
    return std::move(runs_);
  }

 private:
  void take(const std::string& line) {
    if (in_configuration_ && take_configuration(line)) {
      return;
    }
    if (line.find("-- arguments --") != std::string::npos) {
      begin_dump();
      in_arguments_ = true;
      return;
    }
    if (in_arguments_) {
      take_argument(line);
      return;
    }
    constexpr std::string_view kContainer = "_target_: megatron.bridge.training.config.Config";
    if (const std::size_t at = line.find(kContainer); at != std::string::npos) {
      begin_dump();
      prefix_ = line.substr(0, at);
      in_configuration_ = true;
      run_->configuration = line.substr(at) + "\n";
      return;
    }
    take_iteration(line);
    take_memory(line);
  }

  LoggedRun& run() {
    if (run_ == nullptr) {
      runs_.emplace_back();
      run_ = &runs_.back();
    }
    return *run_;
  }

  void begin_dump() {
    if (run_ != nullptr && steps_.empty() && run_->arguments.empty() &&
        run_->configuration.empty()) {
      return;  // memory lines in front of it
    }
    finish();
    run();
  }

  /// The steps that were read become those of the run.
  void finish() {
    if (run_ != nullptr) {
      if (steps_.empty()) {
        for (LoggedStep& step : unnumbered_) {
          run_->steps.push_back(step);
        }
      }
      for (const auto& [iteration, step] : steps_) {
        run_->steps.push_back(step);
      }
    }
    steps_.clear();
    unnumbered_.clear();
    run_ = nullptr;
  }

  /// "  num_layers ........... 61", after any prefix.
  void take_argument(const std::string& line) {
    if (line.find("-- end of arguments --") != std::string::npos) {
      in_arguments_ = false;
      return;
    }
    const std::size_t dots = line.find(" .");
    if (dots == std::string::npos) {
      return;
    }
    const std::size_t name = line.find_last_of(" :", dots - 1);
    const std::size_t value = line.find_first_not_of('.', dots + 1);
    if (value == std::string::npos || line[value] != ' ') {
      return;
    }
    run().arguments.emplace_back(
        line.substr(name == std::string::npos ? 0 : name + 1,
                    dots - (name == std::string::npos ? 0 : name + 1)),
        std::string(text::trimmed(std::string_view(line).substr(value), kBlanks)));
  }

  /// Whether the line belongs to the YAML dump.
  bool take_configuration(const std::string& line) {
    if (line.starts_with(prefix_)) {
      const std::string text = line.substr(prefix_.size());
      const bool indented = text.starts_with(' ') || text.starts_with("- ");
      const std::size_t colon = text.find(':');
      const bool key = colon != std::string::npos && colon > 0 &&
                       std::all_of(text.begin(),
                                   text.begin() + static_cast<std::ptrdiff_t>(colon),
                                   [](char sign) {
                                     return sign == '_' || (sign >= 'a' && sign <= 'z') ||
                                            (sign >= 'A' && sign <= 'Z') ||
                                            (sign >= '0' && sign <= '9');
                                   }) &&
                       (colon + 1 == text.size() || text[colon + 1] == ' ');
      if (indented || key) {
        run_->configuration += text + "\n";
        return true;
      }
    }
    close_configuration();
    return false;
  }

  void close_configuration() { in_configuration_ = false; }

  void take_iteration(const std::string& line) {
    const auto milliseconds = number_behind(line, "elapsed time per iteration (ms):");
    if (!milliseconds) {
      constexpr std::string_view kStep = "Step Time :";
      if (const auto seconds = number_behind(line, kStep); seconds && *seconds > 0) {
        run();
        unnumbered_.push_back({static_cast<int>(unnumbered_.size()) + 1,
                               *seconds,
                               number_behind(line, "GPU utilization:").value_or(0),
                               0});
      }
      return;
    }
    const auto iteration = number_behind(line, " iteration ");
    if (!iteration || *milliseconds <= 0) {
      return;
    }
    const int number = static_cast<int>(*iteration);
    constexpr int kRestart = 2;  // iterations that repeat are ranks, or a restart
    if (!steps_.empty() && number <= 1 && steps_.rbegin()->first >= kRestart) {
      LoggedRun again = *run_;
      again.steps.clear();
      finish();
      runs_.push_back(again);
      run_ = &runs_.back();
    }
    run();
    steps_[number] = {number,
                      *milliseconds * kMillisecond,
                      number_behind(line, "(TFLOP/s/GPU):").value_or(0),
                      static_cast<int>(number_behind(line, "global batch size:").value_or(0))};
  }

  void take_memory(const std::string& line) {
    const bool megabytes = line.find("memory (MB)") != std::string::npos;
    const bool gigabytes = line.find("memory (GB)") != std::string::npos;
    if (!megabytes && !gigabytes) {
      return;
    }
    const auto most = [&](double& into, std::string_view mega, std::string_view giga) {
      const auto found = number_behind(line, megabytes ? mega : giga);
      into = std::max(into, found.value_or(0) * (megabytes ? kMegabyte : kGigabyte));
    };
    most(run().allocated, "max allocated:", "mem-max-allocated-gigabytes:");
    most(run().reserved, "max reserved:", "mem-max-reserved-gigabytes:");
  }

  std::vector<LoggedRun> runs_;
  LoggedRun* run_ = nullptr;
  std::map<int, LoggedStep> steps_;
  std::vector<LoggedStep> unnumbered_;
  std::string prefix_;
  bool in_arguments_ = false;
  bool in_configuration_ = false;
};

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char sign : line) {
    if (sign == '"') {
      quoted = !quoted;
    } else if (sign == ',' && !quoted) {
      cells.emplace_back();
    } else if (sign != '\r') {
      cells.back() += sign;
    }
  }
  return cells;
}

/// Seconds in one unit of a column of iteration times; 0: it is another column.
double unit_of(const std::string& column) {
  const std::string name = text::lower(column);
  if (name.ends_with("__min") || name.ends_with("__max")) {
    return 0;  // Weights & Biases repeats each column so
  }
  constexpr std::array<std::string_view, 6> kTimes = {"iteration-time",
                                                      "iteration_time",
                                                      "elapsed time per iteration",
                                                      "step_time",
                                                      "step time",
                                                      "train_step_timing"};
  const bool time = std::any_of(kTimes.begin(), kTimes.end(), [&](std::string_view word) {
    return name.find(word) != std::string::npos;
  });
  if (!time) {
    return 0;
  }
  return name.find("(ms)") != std::string::npos || name.ends_with("_ms") ? kMillisecond : 1;
}

/// The columns of an export: those of step times, and the one of the iteration.
struct Columns {
  std::vector<std::pair<std::size_t, double>> times;  // column, seconds of its unit
  std::optional<std::size_t> iterations;
};

Columns read_header(const std::vector<std::string>& cells) {
  Columns columns;
  // TensorBoard's export of one scalar: Wall time,Step,Value.
  const bool scalar = cells.size() == 3 && cells[0] == "Wall time" && cells[2] == "Value";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string name = text::lower(cells[i]);
    if (const double unit = scalar && i == 2 ? 1 : unit_of(cells[i]); unit > 0) {
      columns.times.emplace_back(i, unit);
    } else if (name == "step" || name == "_step" || name == "iteration" ||
               name == "trainer/global_step") {
      columns.iterations = i;
    }
  }
  return columns;
}

/// `row` counts from 1; it is the iteration if no column is.
void read_row(const std::vector<std::string>& cells,
              int row,
              const Columns& columns,
              std::vector<LoggedRun>& runs) {
  const std::optional<double> number = columns.iterations && *columns.iterations < cells.size()
                                           ? number_at(cells[*columns.iterations])
                                           : std::optional<double>(row);
  for (std::size_t i = 0; i < columns.times.size(); ++i) {
    const auto [column, unit] = columns.times[i];
    const auto value = column < cells.size() ? number_at(cells[column]) : std::nullopt;
    if (value && *value > 0 && number) {
      runs[i].steps.push_back({static_cast<int>(*number), *value * unit, 0, 0});
    }
  }
}

std::vector<LoggedRun> read_csv(std::string_view text) {
  Columns columns;
  std::vector<LoggedRun> runs;
  for (int row = 0; !text.empty(); ++row) {
    const std::size_t end = text.find('\n');
    const std::vector<std::string> cells = cells_of(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (row > 0) {
      read_row(cells, row, columns, runs);
      continue;
    }
    columns = read_header(cells);
    if (columns.times.empty()) {
      return {};
    }
    runs.resize(columns.times.size());
  }
  std::erase_if(runs, [](const LoggedRun& run) { return run.steps.empty(); });
  return runs;
}

double middle_of(std::vector<double> values) {
  return values.empty() ? 0 : median_of(std::move(values));
}

int usual_batch(const LoggedRun& run) {
  std::map<int, int> counts;
  for (const LoggedStep& step : run.steps) {
    ++counts[step.batch];
  }
  return std::max_element(counts.begin(),
                          counts.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

}  // namespace

std::vector<LoggedRun> read_training_log(std::string_view text) {
  std::vector<LoggedRun> runs = LogReader().read(text);
  return runs.empty() ? read_csv(text) : runs;
}

TypicalStep typical_step(const LoggedRun& run) {
  constexpr std::size_t kMany = 10;
  constexpr double kSlow = 1.0 / 6;
  constexpr double kRobust = 1.4826;  // standard deviation over median absolute deviation
  TypicalStep typical;
  if (run.steps.empty()) {
    return typical;
  }
  typical.batch = usual_batch(run);
  const std::size_t warm = run.steps.size() < 2       ? 0
                           : run.steps.size() < kMany ? 1
                                                      : run.steps.size() / kMany;
  typical.warm_up = static_cast<int>(warm);
  std::vector<const LoggedStep*> steps;
  for (std::size_t i = warm; i < run.steps.size(); ++i) {
    if (run.steps[i].batch == typical.batch) {
      steps.push_back(&run.steps[i]);
    } else {
      ++typical.ramp;
    }
  }
  std::vector<double> seconds;
  for (const LoggedStep* step : steps) {
    seconds.push_back(step->seconds);
  }
  const double middle = middle_of(seconds);
  std::vector<double> kept;
  std::vector<double> rates;
  for (const LoggedStep* step : steps) {
    if (std::abs(step->seconds - middle) > kSlow * middle) {
      ++typical.slow;
      continue;
    }
    kept.push_back(step->seconds);
    if (step->tflops > 0) {
      rates.push_back(step->tflops);
    }
  }
  typical.used = static_cast<int>(kept.size());
  typical.seconds = middle_of(kept);
  typical.tflops = middle_of(rates);
  std::vector<double> deviations;
  for (const double value : kept) {
    deviations.push_back(std::abs(value - typical.seconds));
  }
  typical.spread = typical.seconds > 0 ? kRobust * middle_of(deviations) / typical.seconds : 0;
  return typical;
}

}  // namespace epwise::calibrate
