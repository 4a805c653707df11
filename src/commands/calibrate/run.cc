#include "calibrate/run.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "calibrate/backends/cpu_backend.h"
#include "calibrate/backends/host_probe.h"
#include "calibrate/backends/replay.h"
#include "calibrate/file/calibration.h"
#include "calibrate/plan.h"
#include "calibrate/quantities.h"
#include "calibrate/ranks/launch.h"
#include "calibrate/ranks/socket_ranks.h"
#include "calibrate/sampling/sampler.h"
#include "calibrate/work/backend.h"
#include "calibrate/work/law_time.h"
#include "commands/calibrate/actions.h"
#include "commands/calibrate/choice.h"
#include "commands/calibrate/report.h"
#include "commands/simulate/simulation.h"
#include "hw/profile.h"
#include "perf/cost/compiled_table.h"
#include "perf/cost/table.h"
#include "perf/sim/constants/constants.h"
#include "perf/sim/layer/layer_times.h"
#include "perf/sim/prediction/measured_constants.h"
#include "session/options/arguments.h"
#include "ui/console.h"
#include "ui/prediction_text.h"
#include "ui/progress.h"
#include "ui/report_output.h"
#include "ui/version.h"

namespace epwise::cli {

/// The device of a calibration, and the clock for its rounds.
struct OpenedDevice {
  std::unique_ptr<calibrate::Backend> backend;
  calibrate::Clock clock;
  std::string hw;      // the profile of the device; empty: none matches
  std::string reason;  // why there is no backend
  double spent = 0;    // s of the time budget spent on opening it
};

/// From --backend, --replay, --hw, --quick, --timeout and --seed. `ranks` and `laws` must outlive
/// it.
OpenedDevice open_device(Console& console,
                         const Arguments& arguments,
                         calibrate::Ranks& ranks,
                         const cost::Table& laws);

/// What to do if there is no GPU, as a sentence.
std::string_view way_without_device();

/// --seed; 1 when it is not given. Throws os::UsageError.
std::uint64_t seed_of(const Arguments& arguments);

/// "grace" on ARM hosts, otherwise "x86".
std::string_view host_kind();

/// The ratio that decides whether overlap can pay off, for one expert layer in both directions:
///
///   communication to compute: 0.62 (exchanges 1.21 ms, compute 1.95 ms of one layer), by cost laws
///
/// `measured`: a null pointer if there are no measurements yet; otherwise its constants are used.
std::string recipe_ratio(const SimulatedJob& job,
                         const calibrate::Calibration* measured,
                         const cost::Table& laws);

/// The same without a recipe: exchanges compared with expert GEMMs of typical sizes. Empty if there
/// are no cost laws for the device.
std::string usual_ratio(const calibrate::Subject& subject,
                        std::string_view hw,
                        const cost::Table& laws);

namespace {

using calibrate::Calibration;
using os::UsageError;

constexpr double kQuickBudget = 50;  // s; leaves room for start and end within a minute
constexpr double kFullBudget = 270;

/// Parses digits written by another rank.
int number_from_digits(const std::string& digits) {
  int number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

/// One calibration from options to file.
class CalibrationRun {
 public:
  CalibrationRun(Console& console, const Arguments& arguments)
      : console_(console),
        arguments_(arguments),
        laws_(cost::compiled_table()),
        ranks_(open_ranks(console, arguments)),
        speaks_(ranks_->rank() == 0),
        json_(arguments.text_of("--format") == "json") {}

  ExitCode run() {
    const OpenedDevice opened = open_device(console_, arguments_, *ranks_, laws_);
    if (opened.backend == nullptr) {
      console_.err << fmt::format(
          "epwise: no device to calibrate: {}\n{}\n", opened.reason, way_without_device());
      return ExitCode::no_device;
    }
    prepare(opened);
    return measure(opened);
  }

 private:
  bool is_quick() const { return arguments_.flag("--quick"); }

  void prepare(const OpenedDevice& opened) {
    const calibrate::Backend& backend = *opened.backend;
    start_.tool = tool_version();
    start_.created = time_stamp(console_.variables);
    start_.backend = backend.name();
    start_.environment = backend.environment();
    start_.ranks = ranks_->size();
    start_.domain = std::max(static_cast<int>(start_.environment.domain.size()), 1);
    start_.mode = is_quick() ? "quick" : "full";
    start_.seed = seed_of(arguments_);
    start_.host = host_kind();
    start_.hw = opened.hw;
    if (start_.environment.device.mig) {
      start_.warnings.emplace_back(
          "the GPU is partitioned (MIG): results do not apply to a whole GPU");
    }
    constexpr double kIdle = 0.05;
    if (start_.environment.device.busy > kIdle) {
      start_.warnings.push_back(
          fmt::format("another process was using the GPU when the run began ({:.0f} % of the time)",
                      100 * start_.environment.device.busy));
    }
    agree_on_machine();
    subject_ = calibrate::usual_subject();
    if (!arguments_.operands.empty()) {
      read_recipe();
    }
    start_.subject = backend.name() == "cpu" ? calibrate::reduced(subject_) : subject_;
  }

  /// All ranks must plan alike: the settings of rank 0 apply, and ranks with different ones are
  /// warned.
  void agree_on_machine() {
    calibrate::Device& device = start_.environment.device;
    const std::vector<std::string> names = ranks_->all_gather(device.name);
    const std::vector<std::string> sms = ranks_->all_gather(fmt::format("{}", device.sms));
    const std::vector<std::string> domains = ranks_->all_gather(fmt::format("{}", start_.domain));
    for (std::size_t rank = 1; rank < names.size(); ++rank) {
      if (names[rank] != names[0] || sms[rank] != sms[0]) {
        start_.warnings.push_back(fmt::format(
            "rank {} has a different device: {} with {} SMs", rank, names[rank], sms[rank]));
      }
    }
    device.name = names[0];
    device.sms = number_from_digits(sms[0]);
    for (const std::string& domain : domains) {
      start_.domain = std::min(start_.domain, number_from_digits(domain));
    }
    start_.hw = ranks_->broadcast(start_.hw);
  }

  void read_recipe() {
    Arguments target = arguments_;
    if (!target.one("--hw") && !start_.hw.empty()) {
      target.add("--hw", {start_.hw, "the device"});
    }
    Workspace workspace(console_.host(), given_by(target));
    Simulator simulator(console_, target, workspace);
    job_ = simulator.run(arguments_.operands.front(), true);
    if (job_->workload == nullptr) {
      std::string missing;
      for (const text::Diagnostic& problem : job_->report.missing) {
        missing += fmt::format("\n  {}", problem.message);
      }
      throw UsageError(fmt::format(
          "cannot compute costs for {}: missing facts:{}", arguments_.operands.front(), missing));
    }
    job_->machine.laws = &laws_;  // those of the simulator accompany it
    subject_ = calibrate::subject_of(*job_->workload);
  }

  std::vector<calibrate::Sweep> plan() const {
    calibrate::PlanSettings settings;
    settings.quick = is_quick();
    settings.sms = start_.environment.device.sms;
    settings.ranks = start_.ranks;
    settings.domain = start_.domain;
    settings.seed = start_.seed;
    if (const cost::Chip* chip = laws_.find_chip(start_.hw)) {
      constexpr double kGiga = 1e9;
      // of the datasheet rate, by exchanges that saturate the link
      constexpr double kReached = 0.8;
      settings.pace = kReached * chip->nvlink * kGiga;
      settings.fp8 = chip->peak_fp8 > 0;
    }
    return calibrate::make_plan(start_.subject, settings);
  }

  void print_ratio(const Calibration* measured) const {
    if (!speaks_ || json_) {
      return;
    }
    const std::string text =
        job_ ? recipe_ratio(*job_, measured, laws_) : usual_ratio(subject_, start_.hw, laws_);
    console_.out << text;
  }

  void print_plan(const std::vector<calibrate::Sweep>& sweeps) const {
    for (const calibrate::Sweep& sweep : sweeps) {
      console_.out << fmt::format("{}: {} points\n", sweep.name, sweep.requests.size());
      for (const calibrate::Request& request : sweep.requests) {
        console_.out << fmt::format("  {}\n", request.id);
      }
    }
  }

  std::string output() const { return arguments_.text_of("--output", "calibration.yaml"); }

  /// Times of another run, or imported ones, must not be lost.
  void keep_from_overwriting(const Calibration& earlier) const {
    const std::string other = calibrate::other_run(earlier, start_);
    const bool has_times = std::any_of(
        earlier.points.begin(), earlier.points.end(), [](const calibrate::Point& point) {
          return point.has_time();
        });
    if (!other.empty() && has_times) {
      throw UsageError(
          fmt::format("{} contains a different run ({}); choose another file with -o, or overwrite "
                      "it with --fresh",
                      output(),
                      other));
    }
  }

  /// Rank 0 reads the file; the others may have none, or a different one.
  void resume_from_file() {
    std::size_t taken = 0;
    if (speaks_ && console_.files.is_file(output()) && !arguments_.flag("--fresh")) {
      const Calibration earlier = load_calibration(console_, output(), "; --fresh starts over");
      keep_from_overwriting(earlier);
      taken = calibrate::resume(earlier, start_);
    }
    const std::string text = ranks_->broadcast(taken > 0 ? calibrate::to_yaml(start_) : "");
    if (taken > 0) {
      console_.err << fmt::format(
          "{}: {} points already measured; --fresh measures them again\n", output(), taken);
    } else if (!text.empty()) {
      const text::SourceFile file(output(), text);
      std::vector<text::Diagnostic> problems;
      if (auto started = calibrate::read_calibration(file, problems)) {
        start_.points = std::move(started->points);
      }
    }
  }

  /// Only on a terminal; the line is removed at the end.
  void show_progress(std::size_t done,
                     std::size_t total,
                     const std::string& sweep,
                     double passed,
                     double budget) const {
    if (!console_.terminal.err || !speaks_) {
      return;
    }
    // The first points, quickly rejected or short, do not predict the remaining time.
    const bool early = 5 * done < total;
    const double by_points =
        early ? budget : passed * static_cast<double>(total - done) / static_cast<double>(done);
    const double left = std::max(0.0, std::min(by_points, budget - passed));
    console_.err << fmt::format("\r\x1b[K{}: {} of {} points, {}{:.0f} s left",
                                sweep,
                                done,
                                total,
                                early ? "at most " : "",
                                std::ceil(left))
                 << std::flush;
  }

  ExitCode measure(const OpenedDevice& opened) {
    calibrate::Backend& backend = *opened.backend;
    const calibrate::Clock& clock = opened.clock;
    const auto stated = arguments_.one("--budget");
    const double budget = stated ? parse_duration(stated->value, stated->source)
                                 : (is_quick() ? kQuickBudget : kFullBudget);
    print_ratio(nullptr);
    const std::vector<calibrate::Sweep> sweeps = plan();
    if (arguments_.flag("--dry-run")) {
      if (speaks_) {
        print_plan(sweeps);
      }
      return ExitCode::clean;
    }
    resume_from_file();
    start_.planned = calibrate::planned_points(sweeps, start_);
    const double begin = clock();
    const Awaiting awaiting(console_.interruption);
    calibrate::RunSettings settings;
    settings.sampler.stopping = calibrate::stopping_rule(is_quick());
    if (backend.name() == "cpu" && is_quick()) {
      settings.sampler.stopping.most_rounds = 12;  // a busy CPU never reaches the target interval
    }
    settings.sampler.seed = start_.seed;
    settings.sampler.clock = clock;
    settings.sampler.deadline = begin + budget - opened.spent;
    settings.sampler.is_interrupted = [&awaiting] { return awaiting.interrupted(); };
    settings.keep = [this](const Calibration& calibration) {
      console_.files.write_atomically(output(), calibrate::to_yaml(calibration));
    };
    settings.progress = [&](std::size_t done, std::size_t total, const std::string& sweep) {
      show_progress(done, total, sweep, clock() - begin, budget - opened.spent);
    };
    if (speaks_) {
      settings.keep(start_);  // an unwritable path is detected before the first minute
    }
    const calibrate::RunResult result =
        calibrate::run_plan(sweeps, start_, backend, *ranks_, settings);
    if (console_.terminal.err && speaks_) {
      console_.err << "\r\x1b[K";
    }
    return conclude(result, awaiting.interrupted());
  }

  ExitCode conclude(const calibrate::RunResult& result, bool interrupted) {
    if (speaks_) {
      const std::string hw =
          result.calibration.hw.empty() ? arguments_.text_of("--hw") : result.calibration.hw;
      const auto quantities = calibrate::quantities_of(result.calibration, laws_, hw);
      if (json_) {
        console_.out << report::calibration_json(result.calibration, quantities, hw);
      } else {
        console_.out << report::calibration_text(result.calibration,
                                                 quantities,
                                                 hw,
                                                 arguments_.flag("--points"),
                                                 style_of(arguments_, console_));
        if (job_) {
          print_ratio(&result.calibration);
        }
        console_.out << fmt::format("written: {}{}\n", output(), way_on(result.calibration));
      }
    }
    if (!result.lost.empty()) {
      console_.err << fmt::format("epwise: calibration ended early: {}\n", result.lost);
      return ExitCode::no_device;
    }
    return interrupted ? ExitCode::interrupted : ExitCode::clean;
  }

  /// The remaining work of an interrupted run.
  static std::string way_on(const Calibration& calibration) {
    const auto left = std::count_if(
        calibration.points.begin(), calibration.points.end(), [](const calibrate::Point& point) {
          return point.reason == calibrate::kInterrupted || point.reason == calibrate::kBudgetSpent;
        });
    return left == 0
               ? std::string()
               : fmt::format("; run the same command to measure the remaining {} points", left);
  }

  /// With a left-over environment no other rank appears: shows immediately what it waits for.
  /// Printed by each host's first rank.
  static void tell_whom_it_waits_for(const Console& console,
                                     const calibrate::Launch& launch,
                                     double timeout) {
    if (launch.local_rank != 0) {
      return;
    }
    const std::string whom =
        launch.rank == 0
            ? fmt::format("{} other rank{}", launch.size - 1, launch.size == 2 ? "" : "s")
            : fmt::format("rank 0 at {}", launch.address.empty() ? "127.0.0.1" : launch.address);
    console.err
        << fmt::format(
               "epwise: rank {} of {} ({}, set by {}) waits up to {:g} s for {} on port {}\n",
               launch.rank,
               launch.size,
               launch.said_by,
               launch.launcher,
               timeout,
               whom,
               launch.port)
        << std::flush;
  }

  static std::unique_ptr<calibrate::Ranks> open_ranks(const Console& console,
                                                      const Arguments& arguments) {
    const calibrate::LaunchReading launch = calibrate::read_launch(console.variables);
    if (!launch.problem.empty()) {
      throw UsageError(launch.problem);
    }
    if (launch.launch.size == 1) {
      return std::make_unique<calibrate::OneRank>();
    }
    constexpr double kPatience = 60;  // s
    const auto given = arguments.one("--timeout");
    const double timeout = given ? parse_duration(given->value, given->source) : kPatience;
    tell_whom_it_waits_for(console, launch.launch, timeout);
    return calibrate::join_ranks(launch.launch, timeout);
  }

  Console& console_;
  const Arguments& arguments_;
  cost::Table laws_;
  std::unique_ptr<calibrate::Ranks> ranks_;
  bool speaks_ = true;
  bool json_ = false;
  Calibration start_;
  calibrate::Subject subject_;
  std::optional<SimulatedJob> job_;
};

}  // namespace

ExitCode run_calibration(Console& console, const Arguments& arguments) {
  try {
    return CalibrationRun(console, arguments).run();
  } catch (const calibrate::RankLost& lost) {  // before anything could be measured
    console.err << fmt::format("epwise: {}\n", lost.what());
    return ExitCode::no_device;
  }
}

namespace {

using os::UsageError;

constexpr std::string_view kWithoutDevice =
    "--backend cpu runs every step on the CPU as a demonstration (its times say nothing about a "
    "GPU); --backend replay generates times from the cost laws or from a recorded file; `epwise "
    "calibrate import` reads results of the NCCL, DeepEP and HybridEP tests";

calibrate::ReplayScript replay_script(Console& console, const Arguments& arguments) {
  calibrate::ReplayScript script;
  if (const auto path = arguments.one("--replay")) {
    const text::SourceFile file(path->value, console.files.read(path->value));
    std::vector<text::Diagnostic> problems;
    auto read = calibrate::read_replay(file, problems);
    if (!read) {
      throw os::MissingError(problems_text(problems));
    }
    return *read;
  }
  if (const auto hw = arguments.one("--hw")) {
    const hw::Profile* const profile = hw::find_profile(hw->value);
    script.hw = profile == nullptr ? hw->value : profile->name;
  }
  return script;
}

OpenedDevice open_replay(Console& console,
                         const Arguments& arguments,
                         calibrate::Ranks& ranks,
                         const cost::Table& laws) {
  const calibrate::ReplayScript script = replay_script(console, arguments);
  calibrate::OpenedReplay replay = calibrate::open_replay(script, ranks, laws, seed_of(arguments));
  const std::string hw = script.recorded ? script.recorded->hw : script.hw;
  return {std::move(replay.backend), std::move(replay.clock), hw, std::move(replay.reason)};
}

/// By $EPWISE_PYTHON, or python3 on the PATH.
std::string printed_by_python(const Console& console,
                              const std::string& script,
                              std::string& reason) {
  const std::string python = console.variables.get("EPWISE_PYTHON").value_or("python3");
  const auto printed =
      console.programs == nullptr ? std::nullopt : console.programs->output({python, "-c", script});
  if (!printed) {
    reason = python + " could not be started, failed, or took longer than 30 seconds";
  }
  return printed.value_or("");
}

OpenedDevice open_cuda(const Console& console,
                       calibrate::Ranks& ranks,
                       const calibrate::BackendSettings& settings) {
  const calibrate::Clock clock = steady_clock();
  const double begin = clock();
  calibrate::OpenedBackend cuda = calibrate::open_cuda_backend(ranks, settings);
  if (cuda.backend == nullptr) {
    return {nullptr, {}, {}, std::move(cuda.reason)};
  }
  OpenedDevice opened;
  opened.backend = calibrate::with_host_probe(
      std::move(cuda.backend), [&console](const std::string& script, std::string& reason) {
        return printed_by_python(console, script, reason);
      });
  opened.clock = clock;
  opened.spent = clock() - begin;
  const std::string& name = opened.backend->environment().device.name;
  const hw::Profile* const profile = hw::find_profile_of_device(name);
  opened.hw = profile == nullptr ? "" : profile->name;
  return opened;
}

}  // namespace

OpenedDevice open_device(Console& console,
                         const Arguments& arguments,
                         calibrate::Ranks& ranks,
                         const cost::Table& laws) {
  calibrate::BackendSettings settings;
  settings.quick = arguments.flag("--quick");
  settings.preheat = settings.quick ? 0.5 : 3;
  if (const auto timeout = arguments.one("--timeout")) {
    settings.timeout = parse_duration(timeout->value, timeout->source);
  }
  const std::string name = arguments.text_of("--backend", "cuda");
  if (name == "replay") {
    return open_replay(console, arguments, ranks, laws);
  }
  if (name == "cpu") {
    return {calibrate::open_cpu_backend(ranks, settings), steady_clock(), {}, {}};
  }
  return open_cuda(console, ranks, settings);
}

std::string_view way_without_device() {
  return kWithoutDevice;
}

std::uint64_t seed_of(const Arguments& arguments) {
  const auto setting = arguments.one("--seed");
  if (!setting) {
    return 1;
  }
  std::uint64_t seed = 0;
  const std::string& text = setting->value;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), seed);
  constexpr std::uint64_t kMost = 1ULL << 53;
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || seed > kMost) {
    throw UsageError(fmt::format("{}: `{}` is not a whole number", setting->source, text));
  }
  return seed;
}

std::string_view host_kind() {
#if defined(__aarch64__)
  return "grace";
#else
  return "x86";
#endif
}

namespace {

std::string ratio_text(double exchange, double compute, std::string_view basis) {
  if (exchange <= 0) {
    return "communication to compute: 0, experts are not distributed over GPUs\n";
  }
  return fmt::format(
      "communication to compute: {:.2f} (exchanges {}, compute {} of one expert layer), {}\n",
      exchange / compute,
      report::seconds_text(exchange),
      report::seconds_text(compute),
      basis);
}

}  // namespace

std::string recipe_ratio(const SimulatedJob& job,
                         const calibrate::Calibration* measured,
                         const cost::Table& laws) {
  sim::ConstantTable table = sim::constants();
  if (measured != nullptr) {
    table =
        sim::with_measured(table, CalibrationChoice("", *measured).measured(laws, job.report.hw));
  }
  const sim::StepWork work = sim::lower(*job.workload, job.machine, table.values, job.stated);
  const sim::LayerTimes times =
      sim::layer_times(work, work.mixer, table.values, sim::prices_of(work, table.values, {}), {});
  return ratio_text(times.exchange(),
                    times.compute(),
                    measured == nullptr ? "by cost laws" : "with measured values");
}

std::string usual_ratio(const calibrate::Subject& subject,
                        std::string_view hw,
                        const cost::Table& laws) {
  const cost::Chip* const chip = laws.find_chip(hw);
  if (chip == nullptr) {
    return {};
  }
  using calibrate::Kernel;
  const auto seconds = [&](const calibrate::Work& work) {
    return calibrate::law_time(laws, *chip, work).value_or(0);
  };
  const calibrate::Shape& shape = subject.shape;
  calibrate::Work work;
  work.shape = shape;
  work.structure = calibrate::Structure::staged;
  work.sms = subject.sms;
  double exchange = 0;
  for (const Kernel direction : {Kernel::dispatch, Kernel::combine}) {
    work.kernel = direction;
    exchange += 2 * seconds(work);
  }
  calibrate::Work product;
  product.kernel = Kernel::grouped_gemm;
  product.shape.groups = shape.experts / shape.ranks;
  product.shape.m = shape.tokens * shape.topk * shape.ranks / shape.experts;
  double compute = 0;
  for (const auto stage : {calibrate::Stage::forward,
                           calibrate::Stage::data_gradient,
                           calibrate::Stage::weight_gradient}) {
    product.stage = stage;
    product.shape.n = 2 * shape.inter;
    product.shape.k = shape.hidden;
    compute += seconds(product);
    product.shape.n = shape.hidden;
    product.shape.k = shape.inter;
    compute += seconds(product);
  }
  return ratio_text(exchange, compute, "experts only, typical sizes, by cost laws");
}

}  // namespace epwise::cli
