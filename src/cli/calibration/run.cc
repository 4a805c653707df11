#include "cli/calibration/run.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "calibrate/plan.h"
#include "calibrate/quantities.h"
#include "calibrate/ranks/launch.h"
#include "calibrate/ranks/socket_ranks.h"
#include "calibrate/run.h"
#include "cli/calibration/device.h"
#include "cli/calibration/file.h"
#include "cli/calibration/ratio.h"
#include "cli/progress.h"
#include "cli/report_output.h"
#include "cli/simulate/simulation.h"
#include "cli/version.h"
#include "cost/compiled_table.h"
#include "report/calibration/writer.h"
#include "report/duration_text.h"

namespace epwise::cli {

namespace {

using calibrate::Calibration;
using world::UsageError;

constexpr double kQuickBudget = 50;  // s; what comes before and after fits into a minute
constexpr double kFullBudget = 270;

/// Of digits that another rank wrote.
int number_of(const std::string& digits) {
  int number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

/// One calibration from options to file.
class CalibrationRun {
 public:
  CalibrationRun(Session& session, const Arguments& arguments)
      : session_(session),
        arguments_(arguments),
        laws_(cost::compiled_table()),
        ranks_(open_ranks(session, arguments)),
        speaks_(ranks_->rank() == 0),
        json_(arguments.text_of("--format") == "json") {}

  ExitCode run() {
    const OpenedDevice opened = open_device(session_, arguments_, *ranks_, laws_);
    if (opened.backend == nullptr) {
      session_.err << fmt::format("epwise: there is nothing to calibrate on: {}\n{}\n",
                                  opened.reason,
                                  way_without_device());
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
    start_.created = time_stamp(session_.variables);
    start_.backend = backend.name();
    start_.environment = backend.environment();
    start_.ranks = ranks_->size();
    start_.domain = std::max(static_cast<int>(start_.environment.domain.size()), 1);
    start_.mode = is_quick() ? "quick" : "full";
    start_.seed = seed_of(arguments_);
    start_.host = host_kind();
    start_.hw = opened.hw;
    if (start_.environment.device.mig) {
      start_.warnings.emplace_back("the GPU is sliced (MIG): it speaks for no whole one");
    }
    constexpr double kIdle = 0.05;
    if (start_.environment.device.busy > kIdle) {
      start_.warnings.push_back(
          fmt::format("somebody else computed on the GPU when the run began ({:.0f} % of the time)",
                      100 * start_.environment.device.busy));
    }
    agree_on_machine();
    subject_ = calibrate::usual_subject();
    if (!arguments_.operands.empty()) {
      read_recipe();
    }
    start_.subject = backend.name() == "cpu" ? calibrate::reduced(subject_) : subject_;
  }

  /// Ranks have to plan alike: what rank 0 has counts, and others that have something else are told
  /// of.
  void agree_on_machine() {
    calibrate::Device& device = start_.environment.device;
    const std::vector<std::string> names = ranks_->all_gather(device.name);
    const std::vector<std::string> sms = ranks_->all_gather(fmt::format("{}", device.sms));
    const std::vector<std::string> domains = ranks_->all_gather(fmt::format("{}", start_.domain));
    for (std::size_t rank = 1; rank < names.size(); ++rank) {
      if (names[rank] != names[0] || sms[rank] != sms[0]) {
        start_.warnings.push_back(fmt::format(
            "rank {} has another device: {} with {} SMs", rank, names[rank], sms[rank]));
      }
    }
    device.name = names[0];
    device.sms = number_of(sms[0]);
    for (const std::string& domain : domains) {
      start_.domain = std::min(start_.domain, number_of(domain));
    }
    start_.hw = ranks_->broadcast(start_.hw);
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
      constexpr double kReached = 0.8;  // of the datasheet's rate, by exchanges that fill the link
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

  /// Another run's times, or imported ones, are nobody's to lose.
  void keep_from_overwriting(const Calibration& earlier) const {
    const std::string other = calibrate::other_run(earlier, start_);
    const bool has_times = std::any_of(
        earlier.points.begin(), earlier.points.end(), [](const calibrate::Point& point) {
          return point.has_time();
        });
    if (!other.empty() && has_times) {
      throw UsageError(fmt::format(
          "{} holds another run ({}); name another file with -o, or overwrite it with --fresh",
          output(),
          other));
    }
  }

  /// Rank 0 reads; the others may have no such file, or another one.
  void resume_from_file() {
    std::size_t taken = 0;
    if (speaks_ && session_.files.is_file(output()) && !arguments_.flag("--fresh")) {
      const Calibration earlier = load_calibration(session_, output(), "; --fresh starts anew");
      keep_from_overwriting(earlier);
      taken = calibrate::resume(earlier, start_);
    }
    const std::string text = ranks_->broadcast(taken > 0 ? calibrate::to_yaml(start_) : "");
    if (taken > 0) {
      session_.err << fmt::format(
          "{}: {} points stand already; --fresh measures them again\n", output(), taken);
    } else if (!text.empty()) {
      const text::SourceFile file(output(), text);
      std::vector<text::Diagnostic> problems;
      if (auto started = calibrate::read_calibration(file, problems)) {
        start_.points = std::move(started->points);
      }
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
    // The first points, quickly refused or short, say nothing of those to come.
    const bool early = 5 * done < total;
    const double by_points =
        early ? budget : passed * static_cast<double>(total - done) / static_cast<double>(done);
    const double left = std::max(0.0, std::min(by_points, budget - passed));
    session_.err << fmt::format("\r\x1b[K{}: {} of {} points, {}{:.0f} s left",
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
    const double begin = clock();
    const Awaiting awaiting(session_.interruption);
    calibrate::RunSettings settings;
    settings.sampler.stopping = calibrate::stopping_rule(is_quick());
    if (backend.name() == "cpu" && is_quick()) {
      settings.sampler.stopping.most_rounds = 12;  // a busy CPU never gets tight
    }
    settings.sampler.seed = start_.seed;
    settings.sampler.clock = clock;
    settings.sampler.deadline = begin + budget - opened.spent;
    settings.sampler.is_interrupted = [&awaiting] { return awaiting.interrupted(); };
    settings.keep = [this](const Calibration& calibration) {
      session_.files.write_atomically(output(), calibrate::to_yaml(calibration));
    };
    settings.progress = [&](std::size_t done, std::size_t total, const std::string& sweep) {
      show_progress(done, total, sweep, clock() - begin, budget - opened.spent);
    };
    if (speaks_) {
      settings.keep(start_);  // a place that can't be written to shows before the first minute
    }
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
      const auto quantities = calibrate::quantities_of(result.calibration, laws_, hw);
      if (json_) {
        session_.out << report::calibration_json(result.calibration, quantities, hw);
      } else {
        session_.out << report::calibration_text(result.calibration,
                                                 quantities,
                                                 hw,
                                                 arguments_.flag("--points"),
                                                 style_of(arguments_, session_));
        if (job_) {
          print_ratio(&result.calibration);
        }
        session_.out << fmt::format("written: {}{}\n", output(), way_on(result.calibration));
      }
    }
    if (!result.lost.empty()) {
      session_.err << fmt::format("epwise: the calibration ended early: {}\n", result.lost);
      return ExitCode::no_device;
    }
    return interrupted ? ExitCode::interrupted : ExitCode::clean;
  }

  /// What a run that was cut short leaves to do.
  static std::string way_on(const Calibration& calibration) {
    const auto left = std::count_if(
        calibration.points.begin(), calibration.points.end(), [](const calibrate::Point& point) {
          return point.reason == calibrate::kInterrupted || point.reason == calibrate::kBudgetSpent;
        });
    return left == 0 ? std::string()
                     : fmt::format("; the same command measures the {} points that are left", left);
  }

  /// Of a left-over environment nobody else comes: the user sees at once what is waited for. Each
  /// host's first rank says it.
  static void tell_whom_it_waits_for(const Session& session,
                                     const calibrate::Launch& launch,
                                     double timeout) {
    if (launch.local_rank != 0) {
      return;
    }
    const std::string whom =
        launch.rank == 0
            ? fmt::format("{} other rank{}", launch.size - 1, launch.size == 2 ? "" : "s")
            : fmt::format("rank 0 at {}", launch.address.empty() ? "127.0.0.1" : launch.address);
    session.err << fmt::format(
                       "epwise: rank {} of {} ({}, as {} sets them) waits up to {:g} s for {} on "
                       "port {}\n",
                       launch.rank,
                       launch.size,
                       launch.said_by,
                       launch.launcher,
                       timeout,
                       whom,
                       launch.port)
                << std::flush;
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
    constexpr double kPatience = 60;  // s
    const auto given = arguments.one("--timeout");
    const double timeout = given ? parse_duration(given->value, given->source) : kPatience;
    tell_whom_it_waits_for(session, launch.launch, timeout);
    return calibrate::join_ranks(launch.launch, timeout);
  }

  Session& session_;
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

ExitCode run_calibration(Session& session, const Arguments& arguments) {
  try {
    return CalibrationRun(session, arguments).run();
  } catch (const calibrate::RankLost& lost) {  // before anything could be measured
    session.err << fmt::format("epwise: {}\n", lost.what());
    return ExitCode::no_device;
  }
}

}  // namespace epwise::cli
