#include "cli/calibration_run.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "calibrate/cpu_backend.h"
#include "calibrate/host_probe.h"
#include "calibrate/launch.h"
#include "calibrate/plan.h"
#include "calibrate/quantities.h"
#include "calibrate/replay.h"
#include "calibrate/run.h"
#include "calibrate/socket_ranks.h"
#include "cli/calibration_file.h"
#include "cli/calibration_ratio.h"
#include "cli/progress.h"
#include "cli/report_output.h"
#include "cli/simulation.h"
#include "cli/version.h"
#include "cost/compiled_table.h"
#include "hw/profile.h"
#include "report/calibration_writer.h"
#include "report/duration_text.h"

namespace epwise::cli {

namespace {

using calibrate::Calibration;
using world::UsageError;

constexpr double kQuickBudget = 50;  // s; what comes before and after fits into a minute
constexpr double kFullBudget = 270;

constexpr std::string_view kWithoutDevice =
    "--backend cpu takes every step on the CPU, to see it work (it speaks for no GPU); "
    "--backend replay makes times up from the cost laws or from a recorded file; "
    "`epwise calibrate import` takes what nccl-tests and DeepEP's tests measured";

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
    throw UsageError(fmt::format("{}: `{}` is no whole number", setting->source, text));
  }
  return seed;
}

/// A backend with the clock that its rounds go by.
struct Opened {
  std::unique_ptr<calibrate::Backend> backend;
  calibrate::Clock clock;
  std::string reason;
};

calibrate::ReplayScript replay_script(Session& session, const Arguments& arguments) {
  calibrate::ReplayScript script;
  if (const auto path = arguments.one("--replay")) {
    const text::SourceFile file(path->value, session.files.read(path->value));
    std::vector<text::Diagnostic> problems;
    auto read = calibrate::read_replay(file, problems);
    if (!read) {
      throw world::MissingError(problems_text(problems));
    }
    return *read;
  }
  if (const auto hw = arguments.one("--hw")) {
    const hw::Profile* const profile = hw::find_profile(hw->value);
    script.hw = profile == nullptr ? hw->value : profile->name;
  }
  return script;
}

Opened open_backend(Session& session,
                    const Arguments& arguments,
                    const std::string& name,
                    calibrate::Ranks& ranks,
                    const cost::Table& laws) {
  calibrate::BackendSettings settings;
  settings.quick = arguments.flag("--quick");
  if (const auto timeout = arguments.one("--timeout")) {
    settings.timeout = parse_duration(timeout->value, timeout->source);
  }
  if (name == "replay") {
    calibrate::OpenedReplay replay =
        calibrate::open_replay(replay_script(session, arguments), ranks, laws, seed_of(arguments));
    return {std::move(replay.backend), std::move(replay.clock), std::move(replay.reason)};
  }
  if (name == "cpu") {
    return {calibrate::open_cpu_backend(ranks, settings), steady_clock(), {}};
  }
  calibrate::OpenedBackend cuda = calibrate::open_cuda_backend(ranks, settings);
  if (cuda.backend != nullptr) {
    const std::string python = session.variables.get("EPWISE_PYTHON").value_or("python3");
    cuda.backend = calibrate::with_host_probe(
        std::move(cuda.backend), [python](const std::string& script, std::string& reason) {
          return calibrate::run_python(python, script, reason);
        });
  }
  return {std::move(cuda.backend), steady_clock(), std::move(cuda.reason)};
}

std::string hw_of(const calibrate::Backend& backend, const std::string& replayed) {
  if (backend.name() == "replay") {
    return replayed;
  }
  const hw::Profile* const profile = hw::find_profile_of_device(backend.environment().device.name);
  return profile == nullptr ? "" : profile->name;
}

/// What host time is told of: Grace and other ARM hosts, or x86.
std::string_view host_kind() {
#if defined(__aarch64__)
  return "grace";
#else
  return "x86";
#endif
}

/// One calibration from options to file.
class CalibrationRun {
 public:
  CalibrationRun(Session& session, const Arguments& arguments)
      : session_(session),
        arguments_(arguments),
        laws_(cost::compiled_table()),
        ranks_(open_ranks(session, arguments)),
        speaks_(ranks_->rank() == 0) {}

  ExitCode run() {
    const std::string name = arguments_.text_of("--backend", "cuda");
    Opened opened = open_backend(session_, arguments_, name, *ranks_, laws_);
    if (opened.backend == nullptr) {
      session_.err << fmt::format(
          "epwise: there is nothing to calibrate on: {}\n{}\n", opened.reason, kWithoutDevice);
      return ExitCode::no_device;
    }
    prepare(*opened.backend);
    return measure(*opened.backend, std::move(opened.clock));
  }

 private:
  bool is_quick() const { return arguments_.flag("--quick"); }

  void prepare(const calibrate::Backend& backend) {
    start_.tool = tool_version();
    start_.created = time_stamp(session_.variables);
    start_.backend = backend.name();
    start_.environment = backend.environment();
    start_.ranks = ranks_->size();
    start_.domain = std::max(static_cast<int>(start_.environment.domain.size()), 1);
    start_.mode = is_quick() ? "quick" : "full";
    start_.seed = seed_of(arguments_);
    start_.host = host_kind();
    start_.hw =
        hw_of(backend, backend.name() == "replay" ? replay_script(session_, arguments_).hw : "");
    subject_ = calibrate::usual_subject();
    if (!arguments_.operands.empty()) {
      read_recipe();
    }
    start_.subject = backend.name() == "cpu" ? calibrate::reduced(subject_) : subject_;
  }

  void read_recipe() {
    Arguments target = arguments_;
    if (!target.one("--hw") && !start_.hw.empty()) {
      target.add("--hw", {start_.hw, "the device"});
    }
    Simulator simulator(session_, target);
    job_ = simulator.run(arguments_.operands.front(), true);
    if (job_->workload == nullptr) {
      std::string missing;
      for (const text::Diagnostic& problem : job_->report.missing) {
        missing += fmt::format("\n  {}", problem.message);
      }
      throw UsageError(fmt::format(
          "{} can't be priced, facts are missing:{}", arguments_.operands.front(), missing));
    }
    job_->machine.laws = &laws_;  // the simulator's own go with it
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
      settings.pace = chip->nvlink * kGiga;
      settings.fp8 = chip->peak_fp8 > 0;
    }
    return calibrate::make_plan(start_.subject, settings);
  }

  void print_ratio(const Calibration* measured) const {
    if (!speaks_) {
      return;
    }
    const std::string text =
        job_ ? recipe_ratio(*job_, measured, laws_) : usual_ratio(subject_, start_.hw, laws_);
    session_.out << text;
  }

  void print_plan(const std::vector<calibrate::Sweep>& sweeps) const {
    for (const calibrate::Sweep& sweep : sweeps) {
      session_.out << fmt::format("{}: {} points\n", sweep.name, sweep.requests.size());
      for (const calibrate::Request& request : sweep.requests) {
        session_.out << fmt::format("  {}\n", request.id);
      }
    }
  }

  std::string output() const { return arguments_.text_of("--output", "calibration.yaml"); }

  void resume_from_file() {
    if (!session_.files.is_file(output()) || arguments_.flag("--fresh")) {
      return;
    }
    const std::size_t taken = calibrate::resume(load_calibration(session_, output()), start_);
    if (taken > 0 && speaks_) {
      session_.err << fmt::format(
          "{}: {} points stand already; --fresh measures them again\n", output(), taken);
    }
  }

  /// On a terminal alone; the line goes when the run ends.
  void show_progress(std::size_t done,
                     std::size_t total,
                     const std::string& sweep,
                     double passed,
                     double budget) const {
    if (!session_.terminal.err || !speaks_) {
      return;
    }
    const double by_points =
        done == 0 ? budget : passed * static_cast<double>(total - done) / static_cast<double>(done);
    const double left = std::max(0.0, std::min(by_points, budget - passed));
    session_.err << fmt::format("\r\x1b[K{}: {} of {} points, {:.0f} s left",
                                sweep,
                                done,
                                total,
                                std::ceil(left))
                 << std::flush;
  }

  ExitCode measure(calibrate::Backend& backend, calibrate::Clock clock) {
    const auto stated = arguments_.one("--budget");
    const double budget = stated ? parse_duration(stated->value, stated->source)
                                 : (is_quick() ? kQuickBudget : kFullBudget);
    print_ratio(nullptr);
    const std::vector<calibrate::Sweep> sweeps = plan();
    if (arguments_.flag("--dry-run")) {
      print_plan(sweeps);
      return ExitCode::clean;
    }
    resume_from_file();
    const double begin = clock();
    const Awaiting awaiting(session_.interruption);
    calibrate::RunSettings settings;
    settings.sampler.stopping = calibrate::stopping_rule(is_quick());
    if (backend.name() == "cpu" && is_quick()) {
      settings.sampler.stopping.most_rounds = 12;  // a busy CPU never gets tight
    }
    settings.sampler.seed = start_.seed;
    settings.sampler.clock = clock;
    settings.sampler.deadline = begin + budget;
    settings.sampler.is_interrupted = [&awaiting] { return awaiting.interrupted(); };
    settings.keep = [this](const Calibration& calibration) {
      session_.files.write_atomically(output(), calibrate::to_yaml(calibration));
    };
    settings.progress = [&](std::size_t done, std::size_t total, const std::string& sweep) {
      show_progress(done, total, sweep, clock() - begin, budget);
    };
    const calibrate::RunResult result =
        calibrate::run_plan(sweeps, start_, backend, *ranks_, settings);
    if (session_.terminal.err && speaks_) {
      session_.err << "\r\x1b[K";
    }
    return conclude(result, awaiting.interrupted());
  }

  ExitCode conclude(const calibrate::RunResult& result, bool interrupted) {
    if (speaks_) {
      const std::string hw =
          result.calibration.hw.empty() ? arguments_.text_of("--hw") : result.calibration.hw;
      session_.out << report::calibration_text(
          result.calibration,
          calibrate::quantities_of(result.calibration, laws_, hw),
          hw,
          arguments_.flag("--points"),
          style_of(arguments_, session_));
      if (job_) {
        print_ratio(&result.calibration);
      }
      session_.out << fmt::format("written: {}\n", output());
    }
    if (!result.lost.empty()) {
      session_.err << fmt::format("epwise: the calibration ended early: {}\n", result.lost);
      return ExitCode::no_device;
    }
    return interrupted ? ExitCode::interrupted : ExitCode::clean;
  }

  static std::unique_ptr<calibrate::Ranks> open_ranks(const Session& session,
                                                      const Arguments& arguments) {
    const calibrate::LaunchReading launch = calibrate::read_launch(session.variables);
    if (!launch.problem.empty()) {
      throw UsageError(launch.problem);
    }
    if (launch.launch.size == 1) {
      return std::make_unique<calibrate::OneRank>();
    }
    const auto timeout = arguments.one("--timeout");
    return calibrate::join_ranks(launch.launch,
                                 timeout ? parse_duration(timeout->value, timeout->source) : 60);
  }

  Session& session_;
  const Arguments& arguments_;
  cost::Table laws_;
  std::unique_ptr<calibrate::Ranks> ranks_;
  bool speaks_ = true;
  Calibration start_;
  calibrate::Subject subject_;
  std::optional<SimulatedJob> job_;
};

}  // namespace

ExitCode run_calibration(Session& session, const Arguments& arguments) {
  if (arguments.operands.size() > 1) {
    throw UsageError("which recipe? `epwise calibrate recipe.yaml --quick`");
  }
  try {
    return CalibrationRun(session, arguments).run();
  } catch (const calibrate::RankLost& lost) {  // before anything could be measured
    session.err << fmt::format("epwise: {}\n", lost.what());
    return ExitCode::no_device;
  }
}

}  // namespace epwise::cli
