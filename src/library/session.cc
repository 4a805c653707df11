#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/os/crash_guard.h"
#include "base/os/disk_files.h"
#include "base/os/programs.h"
#include "base/text/line_diff.h"
#include "base/text/spelling.h"
#include "commands/advise/advising.h"
#include "commands/compare/comparing.h"
#include "commands/diff/comparing.h"
#include "commands/explain/crash_explanation.h"
#include "commands/gate/gate.h"
#include "commands/lint/baseline_tally.h"
#include "commands/lint/linting.h"
#include "commands/lint/report_builder.h"
#include "commands/simulate/simulation.h"
#include "hw/device.h"
#include "library/call.h"
#include "library/epwise.h"
#include "library/results.h"
#include "session/files/overlay_files.h"
#include "session/version.h"
#include "ui/report_output.h"

namespace epwise {

namespace {

using library::Call;

constexpr std::string_view kPlea = "; please report it with the recipe";

/// A format's name for people, of lint and gate.
constexpr const char* kFull = "full";

lint::Tier inner_tier(Tier tier) {
  return tier == Tier::neutral       ? lint::Tier::neutral
         : tier == Tier::performance ? lint::Tier::performance
                                     : lint::Tier::training;
}

[[noreturn]] void rethrow(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error&) {
    throw;
  } catch (const os::UsageError& error) {
    throw UsageError(error.what());
  } catch (const os::MissingError& error) {
    throw Error(error.what());
  } catch (const std::exception& error) {
    throw InternalError(error.what() + std::string(kPlea));
  }
}

/// One input that was linted, and the report about it alone.
struct Linted {
  std::shared_ptr<session::Workspace> workspace;  // whose rules the findings point at
  cli::LintOutcome outcome;                       // `files` went into the report
  report::LintReport report;
  std::string source;  // the text as it was linted
  std::string text;    // in the format that was asked for
};

void check_goal(const std::string& goal) {
  const std::vector<std::string_view> known = {"speed", "memory", "safe"};
  if (!goal.empty() && std::ranges::find(known, goal) == known.end()) {
    throw os::UsageError(fmt::format("--goal takes one of speed, memory, safe, not `{}`{}",
                                     goal,
                                     text::did_you_mean(goal, known)));
  }
}

session::Arguments with_advice(session::Arguments arguments, const AdviceOptions& how) {
  check_goal(how.goal);
  library::add(arguments, "--goal", how.goal);
  library::add(arguments, "--keep", how.keep);
  library::add(arguments, "--may-change", how.may_change);
  library::add(arguments, "--top", how.top ? std::to_string(*how.top) : "");
  library::add(arguments, "--profile", how.profile);
  library::add(arguments, "--among", how.among);
  return arguments;
}

session::Arguments with_gate(session::Arguments arguments, const GateOptions& how) {
  library::add(arguments, "--max-exposed-comm", how.max_exposed_comm);
  library::add(arguments, "--min-headroom", how.min_headroom);
  library::add(arguments, "--max-regression", how.max_regression);
  library::add(arguments, "--against", how.against);
  library::add(arguments, "--since", how.since);
  library::add(arguments, "--staged", how.staged ? "true" : "");
  library::add(arguments, "--skip-others", how.skip_others ? "true" : "");
  library::add(arguments, "--receipt", how.receipt);
  return arguments;
}

}  // namespace

class Session::Implementation {
 public:
  explicit Implementation(Options options)
      : options_(std::move(options)),
        variables_(options_.today) {
    try {
      arguments_ = library::arguments_of(options_);
    } catch (const os::UsageError& error) {
      throw UsageError(error.what());
    }
  }

  const Options& options() const { return options_; }

  /// Runs `work`; what it throws becomes an error of the library, and so does a crash, where the
  /// options say so.
  template <class Work>
  auto contain(const Work& work) -> decltype(work()) {
    using Result = decltype(work());
    std::optional<os::CrashScope> scope;
    if (options_.contain_crashes) {
      scope.emplace();
    }
    auto result = std::make_unique<std::optional<Result>>();
    auto thrown = std::make_unique<std::exception_ptr>();
    std::string what;
    const bool ended = os::run_guarded(
        [&] {
          try {
            result->emplace(work());
          } catch (...) {
            *thrown = std::current_exception();
          }
        },
        what);
    if (!ended) {
      static_cast<void>(result.release());  // it may be half written: not even destroyed
      static_cast<void>(thrown.release());
      forget();
      throw InternalError(what + std::string(kPlea));
    }
    if (*thrown) {
      rethrow(*thrown);
    }
    return std::move(**result);
  }

  LintResult lint(const Recipe& recipe) {
    Linted linted = lint_as(recipe, std::nullopt, "json");
    LintResult result = library::lint_result(linted.report.files);
    result.exit_code = linted.report.exit_code;
    result.json = std::move(linted.text);
    result.source = std::move(linted.source);
    return result;
  }

  std::string lint_text(const Recipe& recipe) { return lint_as(recipe, std::nullopt, kFull).text; }

  FixResult fix(const Recipe& recipe, Tier highest) {
    Linted linted = lint_as(recipe, cli::FixOrder{inner_tier(highest), false}, "json");
    const cli::FixedText& fixed = *linted.outcome.fixed;
    FixResult result = library::fix_result(fixed, linted.report.files);
    result.diff = text::unified_diff(recipe.name.empty() ? "<command line>" : recipe.name,
                                     fixed.before.bytes,
                                     fixed.after.bytes);
    result.after = library::lint_result(linted.report.files);
    result.after.source = fixed.after.bytes;
    result.exit_code = linted.report.exit_code;
    result.after.exit_code = result.exit_code;
    result.after.json = linted.text;
    result.json = std::move(linted.text);
    return result;
  }

  Prediction simulate(const Recipe& recipe, bool force) {
    const auto call = call_with(recipe.words);
    const auto workspace = workspace_of(recipe);
    const cli::Simulator simulator(call->console, call->arguments, *workspace);
    const cli::SimulatedJob job = simulator.run(analyze(*workspace, recipe), force);
    Prediction result = library::prediction_of(job.report);
    result.exit_code = result.step_time_s ? 0 : 1;
    result.text = report::simulate_text({job.report}, style(*call));
    result.json = report::simulate_json({job.report});
    return result;
  }

  Comparison compare(const Recipe& a, const Recipe& b, bool force) {
    const auto call = call_with({});
    const auto workspace_a = workspace_of(a);
    const auto workspace_b = workspace_of(b);
    const cli::Simulator simulator(call->console, call->arguments, *workspace_a);
    cli::SimulatedJob job_a = simulator.run(analyze(*workspace_a, a), true);
    cli::SimulatedJob job_b = simulator.run(analyze(*workspace_b, b), true);
    const report::ComparedRecipes recipes =
        cli::compare_jobs(simulator, std::move(job_a), std::move(job_b));
    Comparison result = library::comparison_of(recipes);
    result.exit_code = cli::to_int(cli::exit_code_of(recipes, force));
    result.text = report::compare_text(recipes, style(*call));
    result.json = report::compare_json(recipes);
    return result;
  }

  Advice advise(const Recipe& recipe, const AdviceOptions& how) {
    const auto call = call_with(recipe.words, with_advice(arguments_, how));
    const cli::AdvisedJob job(call->console, call->arguments, library::source_of(recipe, files_));
    const report::AdvisedRecipe advised = cli::advice_on(job, call->console, call->arguments);
    Advice result = library::advice_of(advised);
    result.exit_code = result.step_time_s ? 0 : 1;
    result.text = report::advise_text(advised, style(*call));
    result.json = report::advise_json(advised);
    return result;
  }

  LogExplanation explain(const std::string& log, const Recipe* recipe, const std::string& name) {
    const auto call = call_with(recipe == nullptr ? std::vector<std::string>() : recipe->words);
    session::Workspace workspace(call->console.host(), cli::given_for_log(call->arguments));
    std::optional<session::Analysis> analysis;
    if (recipe != nullptr) {
      analysis = analyze(workspace, *recipe);
    }
    const cli::CrashAnswer answer = cli::answer_of(log, name, workspace, std::move(analysis));
    LogExplanation result = library::explanation_of(answer.report);
    result.known = answer.known;
    result.exit_code = answer.known ? 0 : 1;
    result.text = report::crash_text(answer.report, style(*call));
    result.json = report::crash_json(answer.report);
    return result;
  }

  Difference diff(const Recipe& before, const Recipe& after) {
    const auto call = call_with({});
    const auto workspace_before = workspace_of(before);
    const auto workspace_after = workspace_of(after);
    const cli::Simulator simulator(call->console, call->arguments, *workspace_before);
    const cli::ComparedSide old_side{name_of(before), analyze(*workspace_before, before)};
    const cli::ComparedSide new_side{name_of(after), analyze(*workspace_after, after)};
    const report::RecipeDifference recipes = cli::difference_of(simulator, old_side, new_side);
    Difference result = library::difference_of(recipes);
    result.exit_code = cli::introduces_failure(recipes.difference.introduced,
                                               new_side.analysis.document->threshold)
                           ? 1
                           : 0;
    result.text = report::diff_text(recipes, style(*call));
    result.json = report::diff_json(recipes);
    return result;
  }

  /// `format`: of lint; its text is put into `json`.
  GateResult gate(const std::vector<Recipe>& recipes, const GateOptions& how, const char* format) {
    std::map<std::string, std::string> texts;
    session::Arguments arguments = with_gate(arguments_, how);
    library::add(arguments, "--format", std::string(format));
    std::vector<std::string> words;
    for (const Recipe& recipe : recipes) {
      if (!recipe.words.empty() && recipes.size() > 1) {
        throw os::UsageError("words belong to one recipe: gate it alone");
      }
      words = recipe.words;
      if (!recipe.name.empty() || recipe.text) {
        arguments.operands.push_back(name_of(recipe));
      }
      if (recipe.text && !texts.emplace(name_of(recipe), *recipe.text).second) {
        throw os::UsageError(fmt::format("two texts are called `{}`", name_of(recipe)));
      }
    }
    session::OverlayFiles files(files_, std::move(texts));
    Call call(files, variables_, devices_, programs_, std::move(arguments), words);
    GateResult result;
    cli::GateWatch watch;
    watch.each = [&](const report::LintedFile& file) {
      ++result.files;
      std::ranges::move(library::findings_of(file), std::back_inserter(result.findings));
    };
    watch.judged = [&](const report::LintReport& report) {
      std::ranges::transform(
          report.budgets, std::back_inserter(result.budgets), library::budget_of);
    };
    const cli::ExitCode code = cli::gate(call.console, call.arguments, watch);
    result.problems = call.said();
    if (code == cli::ExitCode::usage) {
      throw os::UsageError(fmt::format("{}", fmt::join(result.problems, "\n")));
    }
    if (code == cli::ExitCode::internal) {
      throw InternalError(fmt::format("{}", fmt::join(result.problems, "\n")));
    }
    result.exit_code = cli::to_int(code);
    result.passed = code == cli::ExitCode::clean;
    result.json = call.out.str();
    return result;
  }

 private:
  std::unique_ptr<Call> call_with(const std::vector<std::string>& words) {
    return call_with(words, arguments_);
  }

  std::unique_ptr<Call> call_with(const std::vector<std::string>& words,
                                  session::Arguments arguments) {
    return std::make_unique<Call>(
        files_, variables_, devices_, programs_, std::move(arguments), words);
  }

  static std::string name_of(const Recipe& recipe) {
    return !recipe.name.empty() ? recipe.name : recipe.text ? "recipe" : "<command line>";
  }

  static report::Style style(const Call& call) {
    return cli::style_of(call.arguments, call.console);
  }

  /// One for all recipes without words; words belong to a workspace.
  std::shared_ptr<session::Workspace> workspace_of(const Recipe& recipe) {
    session::Given given = session::given_by(arguments_);
    given.words = recipe.words;
    const session::Host host{files_, variables_, devices_};
    if (!recipe.words.empty()) {
      return std::make_shared<session::Workspace>(host, std::move(given));
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    if (workspace_ == nullptr) {
      workspace_ = std::make_shared<session::Workspace>(host, std::move(given));
    }
    return workspace_;
  }

  /// After a crash: nobody will release what was locked, and what was being written is not whole.
  void forget() {
    const std::lock_guard<std::mutex> lock(mutex_);
    static_cast<void>(new std::shared_ptr<session::Workspace>(std::move(workspace_)));
    workspace_ = nullptr;
  }

  session::Analysis analyze(session::Workspace& workspace, const Recipe& recipe) {
    return session::analyze_one(workspace.open(library::source_of(recipe, files_)));
  }

  void check(const cli::LintOutcome& outcome) {
    if (!outcome.usage.empty()) {
      throw os::UsageError(outcome.usage);
    }
    if (!outcome.unreadable.empty()) {
      throw os::MissingError(outcome.unreadable);
    }
    if (!outcome.internal.empty()) {
      forget();
      throw InternalError(outcome.internal + std::string(kPlea));
    }
  }

  Linted lint_as(const Recipe& recipe, std::optional<cli::FixOrder> fix, const char* format) {
    const auto call = call_with(recipe.words);
    const auto workspace = workspace_of(recipe);
    cli::LintTask task{library::source_of(recipe, files_)};
    task.settings = &workspace->settings_of(task.source.path);
    cli::LintOrder order;
    order.shows_fixes = true;
    order.written_in_full = std::string_view(format) == kFull;
    order.fix = fix;
    Linted linted;
    linted.workspace = workspace;
    cli::Linter linter(*workspace, order);
    linted.outcome = cli::run_guarded(linter, task);
    check(linted.outcome);
    cli::check_base_is_used(workspace->given(), cli::may_use_base(linted.outcome));

    const session::Checkout& checkout = workspace->checkout();
    cli::ReportBuilder builder(call->console, call->arguments, false);
    builder.begin({task}, checkout, *task.settings->knowledge);
    builder.add(task, linted.outcome);
    linted.report = builder.finish();
    cli::BaselineTally baselines;
    baselines.add(linted.outcome);
    for (const report::BaselineCount& count : baselines.counts(files_)) {
      cli::add_count(count, linted.report);
    }
    const auto code = cli::ExitCode{static_cast<std::uint8_t>(linted.report.exit_code)};
    if (cli::badness(code) > cli::badness(cli::ExitCode::findings)) {
      const std::string said = fmt::format("{}", fmt::join(call->said(), "\n"));
      code == cli::ExitCode::internal ? throw InternalError(said) : throw Error(said);
    }
    linted.source = task.source.text.value_or("");
    linted.report.files = std::move(linted.outcome.files);
    linted.text = report::find_writer(format)->write(linted.report, style(*call));
    return linted;
  }

  Options options_;
  os::DiskFiles files_;
  library::OwnVariables variables_;
  hw::DriverProbe devices_;
  os::ProcessPrograms programs_;
  session::Arguments arguments_;
  std::mutex mutex_;
  std::shared_ptr<session::Workspace> workspace_;
};

Session::Session(Options options)
    : implementation_(std::make_unique<Implementation>(std::move(options))) {}

Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

const Options& Session::options() const {
  return implementation_->options();
}

LintResult Session::lint(const Recipe& recipe) const {
  return implementation_->contain([&] { return implementation_->lint(recipe); });
}

std::string Session::lint_text(const Recipe& recipe) const {
  return implementation_->contain([&] { return implementation_->lint_text(recipe); });
}

FixResult Session::fix(const Recipe& recipe, Tier highest) const {
  return implementation_->contain([&] { return implementation_->fix(recipe, highest); });
}

Prediction Session::simulate(const Recipe& recipe, bool force) const {
  return implementation_->contain([&] { return implementation_->simulate(recipe, force); });
}

Comparison Session::compare(const Recipe& a, const Recipe& b, bool force) const {
  return implementation_->contain([&] { return implementation_->compare(a, b, force); });
}

Advice Session::advise(const Recipe& recipe, const AdviceOptions& how) const {
  return implementation_->contain([&] { return implementation_->advise(recipe, how); });
}

LogExplanation Session::explain_log(const std::string& log, const std::string& name) const {
  return implementation_->contain([&] { return implementation_->explain(log, nullptr, name); });
}

LogExplanation Session::explain_log(const std::string& log,
                                    const Recipe& recipe,
                                    const std::string& name) const {
  return implementation_->contain([&] { return implementation_->explain(log, &recipe, name); });
}

Difference Session::diff(const Recipe& before, const Recipe& after) const {
  return implementation_->contain([&] { return implementation_->diff(before, after); });
}

GateResult Session::gate(const std::vector<Recipe>& recipes, const GateOptions& how) const {
  return implementation_->contain([&] { return implementation_->gate(recipes, how, "json"); });
}

std::string Session::gate_text(const std::vector<Recipe>& recipes, const GateOptions& how) const {
  return implementation_->contain([&] { return implementation_->gate(recipes, how, kFull).json; });
}

std::string version() {
  return std::string(session::tool_version());
}

}  // namespace epwise
