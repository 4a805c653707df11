#include "commands/gate/budgets.h"

#include <cmath>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/units/quantity.h"
#include "commands/simulate/simulation.h"
#include "perf/sim/constants/constants.h"
#include "perf/sim/prediction/comparison.h"
#include "perf/sim/step/step.h"
#include "session/files/file_selection.h"
#include "session/files/overlay_files.h"
#include "session/files/places.h"

namespace epwise::cli {

namespace {

using os::UsageError;
using report::Budget;
using sim::Range;

constexpr std::string_view kExposed = "--max-exposed-comm";
constexpr std::string_view kHeadroom = "--min-headroom";
constexpr std::string_view kRegression = "--max-regression";

/// "8%" → 0.08
double share_of(const Setting& setting) {
  const bool percent = setting.value.ends_with('%');
  const auto found = units::parse_quantity(
      std::string_view(setting.value).substr(0, setting.value.size() - (percent ? 1 : 0)));
  if (!found || !percent || found->value < 0 || found->dimension != units::Dimension::none) {
    throw UsageError(
        fmt::format("{} expects a share such as 8%, not `{}`", setting.source, setting.value));
  }
  constexpr double kHundred = 100;
  return found->value / kHundred;
}

double bytes_of(const Setting& setting) {
  const auto found = units::parse_quantity(setting.value);
  if (!found || found->dimension != units::Dimension::bytes || found->value < 0) {
    throw UsageError(
        fmt::format("{} expects a size such as 6GiB, not `{}`", setting.source, setting.value));
  }
  return found->value;
}

Budget::State state_of(const Range& range, double limit, bool upper) {
  const bool beyond = upper ? range.low > limit : range.high < limit;
  const bool within = upper ? range.high <= limit : range.low >= limit;
  return beyond ? Budget::State::broken : within ? Budget::State::kept : Budget::State::undecided;
}

std::string percent(const Range& range) {
  constexpr double kHundred = 100;
  return fmt::format("{:.1f} % ({:.1f} to {:.1f})",
                     range.value * kHundred,
                     range.low * kHundred,
                     range.high * kHundred);
}

/// "+3.1 % (-0.2 to +6.4)"
std::string change(const Range& range) {
  constexpr double kHundred = 100;
  return fmt::format("{:+.1f} % ({:+.1f} to {:+.1f})",
                     range.value * kHundred,
                     range.low * kHundred,
                     range.high * kHundred);
}

/// The part not hidden by computation. Its own error and that of the rest are treated as
/// opposed, so the interval is rather too wide.
Range exposed_share(const sim::Prediction& prediction) {
  double exposed = 0;
  double whole = 0;
  for (const sim::WaterfallTerm& term : prediction.waterfall) {
    const bool communication = term.name == "dispatch" || term.name == "combine" ||
                               term.name == "contention" || term.name == "data_parallel";
    exposed += communication ? term.seconds : 0;
    whole += term.seconds;
  }
  const double width = std::exp(prediction.uncertainty.half_width());
  const double rest = whole - exposed;
  const auto share = [](double part, double other) {
    return part + other > 0 ? part / (part + other) : 0.0;
  };
  return {share(exposed, rest),
          share(exposed / width, rest * width),
          share(exposed * width, rest / width)};
}

class Checker {
 public:
  Checker(Console& console, const Arguments& arguments, const BudgetLimits& limits)
      : console_(console),
        arguments_(arguments),
        limits_(limits),
        workspace_(console.host(), given_by(arguments)),
        simulator_(console, arguments, workspace_) {}

  std::vector<Budget> run(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      check(path);
    }
    return std::move(budgets_);
  }

 private:
  void check(const std::string& path) {
    std::string reason;
    const auto job = simulate(simulator_, path, reason);
    if (job && !job->report.takes_steps) {
      return;  // a reference model has no step that a limit could hold for
    }
    if (!job) {
      for (const auto& [option, limit, given] :
           {std::tuple(kExposed, limits_.exposed_text, limits_.exposed.has_value()),
            std::tuple(kHeadroom, limits_.headroom_text, limits_.headroom.has_value()),
            std::tuple(kRegression, limits_.regression_text, limits_.regression.has_value())}) {
        if (given) {
          add(path, option, limit, Budget::State::undecided, "no prediction: " + reason);
        }
      }
      return;
    }
    const sim::Prediction& prediction = *job->report.prediction;
    if (limits_.exposed) {
      const Range share = exposed_share(prediction);
      add(path,
          kExposed,
          limits_.exposed_text,
          state_of(share, *limits_.exposed, true),
          fmt::format("exposed communication {} of the step", percent(share)));
    }
    if (limits_.headroom) {
      check_headroom(path, prediction);
    }
    if (limits_.regression) {
      check_regression(path, *job);
    }
  }

  /// The label of a report as an operand: that of a file's first recipe has no number.
  std::string operand_of(const std::string& path) const {
    return console_.files.is_file(path) ? path + "#1" : path;
  }

  std::optional<SimulatedJob> simulate(Simulator& simulator,
                                       const std::string& path,
                                       std::string& reason) const {
    try {
      SimulatedJob job = simulator.run(operand_of(path), true);
      if (!job.report.prediction) {
        reason =
            job.report.missing.empty() ? "facts are missing" : job.report.missing.front().message;
      }
      if (job.report.prediction || !job.report.takes_steps) {
        return job;
      }
    } catch (const os::MissingError& error) {
      reason = error.what();
    } catch (const UsageError& error) {
      reason = error.what();
    }
    return std::nullopt;
  }

  void check_headroom(const std::string& path, const sim::Prediction& prediction) {
    constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
    if (prediction.memory_limit <= 0) {
      add(path,
          kHeadroom,
          limits_.headroom_text,
          Budget::State::undecided,
          "the profile does not give the memory size of the GPU");
      return;
    }
    const double limit = prediction.memory_limit;
    const Range& needed = prediction.needed_memory;
    const Range left{limit - needed.value, limit - needed.high, limit - needed.low};
    add(path,
        kHeadroom,
        limits_.headroom_text,
        state_of(left, *limits_.headroom, false),
        fmt::format("free memory {:.1f} GiB ({:.1f} to {:.1f})",
                    left.value / kGiB,
                    left.low / kGiB,
                    left.high / kGiB));
  }

  void check_regression(const std::string& path, const SimulatedJob& now) {
    const Git git(console_.programs);
    const std::string file = session::numbered_path(console_.files, path).path;
    const auto name = below(git.root(), console_.files.canonical(file).value_or(file));
    if (!name) {
      throw UsageError(fmt::format("{} is outside the checkout of --against", file));
    }
    auto text = git.show(limits_.against, *name);
    if (const auto before = text ? std::nullopt : git.renamed_from(limits_.against, *name)) {
      text = git.show(limits_.against, *before);
    }
    if (!text) {
      add(path,
          kRegression,
          limits_.regression_text,
          Budget::State::kept,
          fmt::format("nothing to compare with: {} has no such file", limits_.against));
      return;
    }
    OverlayFiles files(console_.files, {{file, *text}});
    Console before{console_.in,
                   console_.out,
                   console_.err,
                   files,
                   console_.variables,
                   console_.terminal,
                   console_.devices};
    Workspace workspace(before.host(), given_by(arguments_));
    Simulator simulator(before, arguments_, workspace);
    std::string reason;
    const auto old = simulate(simulator, path, reason);
    if (!old || !old->report.prediction) {
      add(path,
          kRegression,
          limits_.regression_text,
          Budget::State::undecided,
          fmt::format("no prediction for {}: {}", limits_.against, reason));
      return;
    }
    const sim::ConstantTable& constants = sim::constants();
    const sim::Comparison comparison =
        sim::compare(sim::lower(*old->workload, old->machine, constants.values, old->stated),
                     sim::lower(*now.workload, now.machine, constants.values, now.stated),
                     constants);
    const Range& speedup = comparison.speedup;
    const Range slower{1 / speedup.value - 1, 1 / speedup.high - 1, 1 / speedup.low - 1};
    add(path,
        kRegression,
        limits_.regression_text,
        state_of(slower, *limits_.regression, true),
        fmt::format("{} {} compared with {}",
                    comparison.tokens == 1 ? "step time" : "time per token",
                    change(slower),
                    limits_.against));
  }

  void add(const std::string& path,
           std::string_view option,
           const std::string& limit,
           Budget::State state,
           std::string text) {
    budgets_.push_back({state, path, std::string(option), limit, std::move(text)});
  }

  Console& console_;
  const Arguments& arguments_;
  const BudgetLimits& limits_;
  Workspace workspace_;
  Simulator simulator_;
  std::vector<Budget> budgets_;
};

}  // namespace

std::vector<Option> budget_options() {
  using enum Option::Arity;
  return {
      {.name = kExposed,
       .arity = one,
       .value = "SHARE",
       .summary = "fail if the exposed share of communication is certainly higher: 8%",
       .variable = "EPWISE_MAX_EXPOSED_COMM",
       .brief = true},
      {.name = kHeadroom,
       .arity = one,
       .value = "SIZE",
       .summary = "fail if the free memory per GPU is certainly lower: 6GiB",
       .variable = "EPWISE_MIN_HEADROOM",
       .brief = true},
      {.name = kRegression,
       .arity = one,
       .value = "SHARE",
       .summary = "fail if a step is certainly slower than at --against by more: 2%",
       .variable = "EPWISE_MAX_REGRESSION",
       .brief = true},
      {.name = "--against",
       .arity = one,
       .value = "REF",
       .summary = "the revision for --max-regression",
       .variable = "EPWISE_AGAINST",
       .brief = true},
      {.name = "--input",
       .arity = many,
       .value = "NAME=VALUE",
       .summary = "known facts about the run, for budgets: host=40us, routing=natural, ..."},
  };
}

BudgetLimits budget_limits(const Arguments& arguments) {
  BudgetLimits limits;
  if (const auto exposed = arguments.one(kExposed)) {
    limits.exposed = share_of(*exposed);
    limits.exposed_text = exposed->value;
  }
  if (const auto headroom = arguments.one(kHeadroom)) {
    limits.headroom = bytes_of(*headroom);
    limits.headroom_text = headroom->value;
  }
  if (const auto regression = arguments.one(kRegression)) {
    limits.regression = share_of(*regression);
    limits.regression_text = regression->value;
  }
  limits.against = arguments.text_of("--against");
  if (limits.regression && limits.against.empty()) {
    throw UsageError("--max-regression needs a revision: --against main");
  }
  if (!limits.regression && !limits.against.empty()) {
    throw UsageError("--against needs --max-regression");
  }
  return limits;
}

std::vector<Budget> check_budgets(Console& console,
                                  const Arguments& arguments,
                                  const BudgetLimits& limits,
                                  const std::vector<std::string>& paths) {
  return Checker(console, arguments, limits).run(paths);
}

}  // namespace epwise::cli
