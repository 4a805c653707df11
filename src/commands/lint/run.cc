#include "commands/lint/run.h"

#include <algorithm>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/text/line_diff.h"
#include "commands/lint/baseline_tally.h"
#include "commands/lint/fix_output.h"
#include "commands/lint/linting.h"
#include "commands/lint/pricing.h"
#include "commands/lint/report_builder.h"
#include "session/files/file_selection.h"
#include "session/workspace.h"
#include "ui/findings/lint_report.h"
#include "ui/lint_options.h"
#include "ui/parallel.h"
#include "ui/progress.h"
#include "ui/report_output.h"
#include "ui/standard_input.h"

namespace epwise::cli {

namespace {

/// One run of `epwise lint`: the state shared by its steps.
class LintRun {
 public:
  LintRun(Console& console, const Arguments& arguments, const LintHooks& hooks)
      : console_(console),
        arguments_(arguments),
        hooks_(hooks),
        workspace_(console.host(), given_to(arguments, hooks)) {}

  ExitCode run() {
    std::vector<Sink> sinks = parse_formats(arguments_.all("--format"), console_.variables);
    order_.fix = fix_order(arguments_);
    order_.shows_fixes = shows_fixes(sinks);
    order_.written_in_full = is_written_in_full(sinks);
    select();
    if (hooks_.narrow) {
      hooks_.narrow(selection_);
    }
    if (arguments_.flag("--list-files")) {
      return list_files();
    }
    make_tasks();
    const std::shared_ptr<const lint::Knowledge> knowledge = common_rules();
    if (arguments_.flag("--price")) {
      pricing_.emplace(console_, arguments_, workspace_);
      order_.pricing = &*pricing_;
    }
    const Awaiting ending(order_.fix ? console_.interruption : nullptr);
    const bool told = is_told_in_full(sinks);
    if (order_.fix && order_.fix->show_only) {
      std::erase_if(sinks, [](const Sink& sink) { return sink.path.empty(); });
    }
    ReportBuilder builder(console_, arguments_, is_told_in_full(sinks));
    builder.begin(tasks_, workspace_.checkout(), *knowledge);
    if (hooks_.nothing_is_fine) {
      builder.allow_nothing();
    }
    for (const std::string& sentence : selection_.unreadable) {
      builder.add_unreadable(sentence);
    }
    for (const std::string& sentence : selection_.empty) {
      builder.add_unreadable(sentence, ExitCode::nothing_checked);
    }
    ReportOutput output(
        builder.report(), std::move(sinks), style_of(arguments_, console_), console_.files);
    lint_all(ending, builder, output);
    if (ending.interrupted()) {
      console_.err << "epwise: interrupted: nothing changed\n";
      return ExitCode::interrupted;
    }
    const ExitCode code = judge(builder);
    return hooks_.writes ? write(code, builder, output, told, ending) : code;
  }

 private:
  static session::Given given_to(const Arguments& arguments, const LintHooks& hooks) {
    session::Given given = given_by(arguments);
    given.baselines = hooks.reads_baselines || given.baseline.has_value();
    return given;
  }

  std::string value(std::string_view option) const {
    const std::optional<Setting> setting = arguments_.one(option);
    return setting ? setting->value : "";
  }

  void select() {
    if (!arguments_.operands.empty()) {
      selection_ = select_files(console_.files, arguments_.operands, value("--stdin-filename"));
      if (order_.fix && !order_.fix->show_only) {
        check_inputs_of_fix(selection_, arguments_.operands, console_.files);
      }
    } else if (!arguments_.words.empty()) {
      words_only_ = true;
      selection_.inputs.push_back({"<command line>", true, false});
    } else {
      throw os::UsageError(
          "nothing to lint: give a FILE or directory, - for standard input, or a launch after "
          "--\nsee `epwise lint -h` for examples");
    }
  }

  ExitCode list_files() {
    for (const Input& input : selection_.inputs) {
      console_.out << text::quoted_name(input.path) << '\n';
    }
    for (const auto* sentences : {&selection_.unreadable, &selection_.empty}) {
      for (const std::string& sentence : *sentences) {
        console_.err << "epwise: " << sentence << '\n';
      }
    }
    return worst(selection_.unreadable.empty() ? ExitCode::clean : ExitCode::unreadable,
                 selection_.empty.empty() ? ExitCode::clean : ExitCode::nothing_checked);
  }

  void make_tasks() {
    for (const Input& input : selection_.inputs) {
      LintTask task;
      task.source = {input.path, std::nullopt, words_only_, input.number};
      task.named = input.named && !arguments_.flag("--skip-others");
      task.settings = &workspace_.settings_of(input.path);
      if (input.standard) {
        task.source.text = read_standard_input(arguments_, console_);
      }
      tasks_.push_back(std::move(task));
    }
  }

  /// A report covers one set of rules.
  std::shared_ptr<const lint::Knowledge> common_rules() {
    std::optional<Setting> folder;
    for (const LintTask& task : tasks_) {
      const std::optional<Setting>& rules = task.settings->run.rules;
      if (folder && rules && rules->value != folder->value) {
        throw os::UsageError(fmt::format(
            "{} and {} have different `rules`: lint the files in two runs, or choose with --rules",
            folder->source,
            rules->source));
      }
      folder = rules ? rules : folder;
    }
    session::RunSettings run;
    run.rules = folder;
    return workspace_.knowledge(run);
  }

  /// Each file is passed to every format as soon as the files before it are done: none is kept.
  void lint_all(const Awaiting& ending, ReportBuilder& builder, ReportOutput& output) {
    Linter linter(workspace_, order_);
    fixed_.resize(tasks_.size());
    const bool shown = console_.terminal.err && !arguments_.flag("--quiet");
    Progress progress(
        shown ? &console_.err : nullptr, order_.fix ? "fixing" : "linting", tasks_.size());
    run_in_order<LintOutcome>(
        tasks_.size(),
        threads_of(arguments_, tasks_.size()),
        [&](std::size_t i) {
          return ending.interrupted() ? LintOutcome{} : run_guarded(linter, tasks_[i]);
        },
        [&](std::size_t i, LintOutcome outcome) {
          if (!ending.interrupted()) {
            add(i, outcome, builder, output);
            progress.advance();
          }
        });
    // What could not be listed might have been such a file, and its own error says more.
    check_base_is_used(workspace_.given(), base_is_used_ || !selection_.unreadable.empty());
  }

  void add(std::size_t i, LintOutcome& outcome, ReportBuilder& builder, ReportOutput& output) {
    const LintTask& task = tasks_[i];
    tell_unpriced(task, outcome);
    fixed_[i] = std::move(outcome.fixed);
    base_is_used_ = base_is_used_ || may_use_base(outcome);
    baselines_.add(outcome);
    for (report::LintedFile& file : outcome.files) {
      if (hooks_.each) {
        hooks_.each(file, workspace_.checkout(), *task.settings);
      }
      hides_notes(task.settings->threshold) ? output.add_without_notes(file) : output.add(file);
    }
    builder.add(task, outcome);
  }

  /// -q omits notes in human-readable text, unless notes fail the run.
  bool hides_notes(const Threshold& threshold) const {
    return arguments_.flag("--quiet") && !arguments_.flag("--price") &&
           threshold.fail_on != lint::Severity::note;
  }

  ExitCode judge(ReportBuilder& builder) {
    report::LintReport& report = builder.finish();
    for (const report::BaselineCount& count : baselines_.counts(console_.files)) {
      tell_settled(count);
      add_count(count, report);
    }
    auto code = ExitCode{static_cast<std::uint8_t>(report.exit_code)};
    if (hooks_.judge) {
      code = worst(code, hooks_.judge(report));
      report.exit_code = to_int(code);
    }
    return code;
  }

  ExitCode write(ExitCode code,
                 const ReportBuilder& builder,
                 ReportOutput& output,
                 bool told,
                 const Awaiting& ending) {
    if (order_.fix) {
      const ExitCode put = put_fixes(told, ending);
      if (put == ExitCode::interrupted) {
        return put;
      }
      code = worst(code, put);
    }
    if (hooks_.nothing_is_fine && !builder.any_file() && code == ExitCode::clean) {
      console_.err << "epwise: none of the files is a recipe"
                   << (hooks_.narrow ? " that changed\n" : "\n");
      output.drop_output();
    }
    for (const std::string& problem :
         output.write(fixed_to_output() ? console_.err : console_.out, console_.files)) {
      console_.err << "epwise: " << problem << '\n';
      code = worst(code, ExitCode::unreadable);
    }
    return code;
  }

  void tell_unpriced(const LintTask& task, const LintOutcome& outcome) {
    if (!outcome.unpriced.empty() && !arguments_.flag("--quiet")) {
      console_.err << fmt::format(
          "epwise: {}: no prices: {}\n", task.source.path, outcome.unpriced);
    }
  }

  void tell_settled(const report::BaselineCount& count) {
    if (count.settled > 0) {
      console_.err << fmt::format("epwise: {} of {} resolved: `{}` removes them\n",
                                  report::counted(count.settled, "finding"),
                                  count.path,
                                  prune_command(arguments_, count.path));
    }
  }

  /// Whether the changed text goes to standard output, so that the findings must go elsewhere.
  bool fixed_to_output() const {
    return order_.fix && std::ranges::any_of(tasks_, [](const LintTask& task) {
             return task.source.text || task.source.words_only;
           });
  }

  ExitCode put_fixes(bool told, const Awaiting& ending) {
    FixOutput output(console_, *order_.fix, arguments_.line, told);
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if (ending.interrupted()) {
        console_.err << fmt::format("epwise: interrupted: {} changed, the others are unchanged\n",
                                    report::counted(output.changed(), "file"));
        return ExitCode::interrupted;
      }
      if (fixed_[i]) {
        output.add(tasks_[i], *fixed_[i]);
      }
    }
    const ExitCode code = output.finish();
    return code == ExitCode::findings && arguments_.flag("--exit-zero") ? ExitCode::clean : code;
  }

  Console& console_;
  const Arguments& arguments_;
  const LintHooks& hooks_;
  Workspace workspace_;
  LintOrder order_;
  std::vector<std::optional<FixedText>> fixed_;  // by task
  FileSelection selection_;
  bool words_only_ = false;
  std::optional<Pricing> pricing_;
  std::vector<LintTask> tasks_;
  BaselineTally baselines_;
  bool base_is_used_ = false;  // or the reason is reported
};

}  // namespace

ExitCode run_lint_with(Console& console, const Arguments& arguments, const LintHooks& hooks) {
  return LintRun(console, arguments, hooks).run();
}

ExitCode run_lint(Console& console, const Arguments& arguments) {
  return run_lint_with(console, arguments, {});
}

}  // namespace epwise::cli
