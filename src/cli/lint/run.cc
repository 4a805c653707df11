#include "cli/lint/run.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "cli/files/checkout.h"
#include "cli/files/file_selection.h"
#include "cli/files/places.h"
#include "cli/lint/baseline.h"
#include "cli/lint/calendar.h"
#include "cli/lint/fix_inputs.h"
#include "cli/lint/fix_output.h"
#include "cli/lint/linting.h"
#include "cli/lint/options.h"
#include "cli/lint/pricing.h"
#include "cli/lint/report_builder.h"
#include "cli/lint/standard_input.h"
#include "cli/parallel.h"
#include "cli/progress.h"
#include "cli/report_output.h"
#include "cli/settings/configuration_search.h"
#include "cli/settings/rules_source.h"
#include "cli/settings/run_settings.h"
#include "cli/settings/severities.h"
#include "cli/target/options.h"
#include "cli/version.h"
#include "report/lint/tally.h"

namespace epwise::cli {

namespace {

/// One run of `epwise lint`: everything that its steps share.
class LintRun {
 public:
  LintRun(Session& session, const Arguments& arguments, const LintHooks& hooks)
      : session_(session),
        arguments_(arguments),
        hooks_(hooks),
        machine_(session),
        given_(target_settings(arguments)),
        configurations_(session.files, value("--config"), tool_version()),
        today_(today(session.variables)) {}

  ExitCode run() {
    std::vector<Sink> sinks = parse_formats(arguments_.all("--format"), session_.variables);
    fix_ = fix_order(arguments_);
    shows_fixes_ = shows_fixes(sinks);
    written_in_full_ = is_written_in_full(sinks);
    select();
    checkout_ = find_checkout(session_.files);
    if (hooks_.narrow) {
      hooks_.narrow(selection_);
    }
    if (arguments_.flag("--list-files")) {
      return list_files();
    }
    configure();
    if (arguments_.flag("--price")) {
      pricing_.emplace(session_, arguments_);
    }
    read_baselines();
    const lint::Knowledge knowledge = load_rules(session_, rules_folder());
    make_tasks(knowledge);
    const Awaiting ending(fix_ ? session_.interruption : nullptr);
    const bool told = is_told_in_full(sinks);
    if (fix_ && fix_->show_only) {
      std::erase_if(sinks, [](const Sink& sink) { return sink.path.empty(); });
    }
    ReportBuilder builder(session_, arguments_, told);
    builder.begin(tasks_, thresholds_, checkout_, knowledge);
    if (hooks_.nothing_is_fine) {
      builder.allow_nothing();
    }
    for (const std::string& sentence : selection_.unreadable) {
      builder.add_unreadable(sentence);
    }
    ReportOutput output(
        builder.report(), std::move(sinks), style_of(arguments_, session_), session_.files);
    lint_all(knowledge, ending, builder, output);
    if (ending.interrupted()) {
      session_.err << "epwise: interrupted: nothing was changed\n";
      return ExitCode::interrupted;
    }
    const ExitCode code = judge(builder);
    return hooks_.writes ? write(code, builder, output, told, ending) : code;
  }

 private:
  /// What the sources outside of an input's own text say about it.
  struct Sources {
    const Configuration* configuration = nullptr;
    Baseline* baseline = nullptr;  // null pointer: none
    const TargetEntry* entry = nullptr;
    RunSettings run;
  };

  std::string value(std::string_view option) const {
    const std::optional<Setting> setting = arguments_.one(option);
    return setting ? setting->value : "";
  }

  void select() {
    if (!arguments_.operands.empty()) {
      selection_ = select_files(session_.files, arguments_.operands, value("--stdin-filename"));
      if (fix_ && !fix_->show_only) {
        check_inputs_of_fix(selection_, arguments_.operands, session_.files);
      }
    } else if (!arguments_.words.empty()) {
      words_only_ = true;
      selection_.inputs.push_back({"<command line>", true, false});
    } else {
      throw world::UsageError(
          "nothing to lint: name a FILE or folder, - for standard input, or a launch behind --\n"
          "`epwise lint -h` shows examples");
    }
  }

  ExitCode list_files() {
    for (const Input& input : selection_.inputs) {
      session_.out << input.path << '\n';
    }
    for (const std::string& sentence : selection_.unreadable) {
      session_.err << "epwise: " << sentence << '\n';
    }
    return selection_.unreadable.empty() ? ExitCode::clean : ExitCode::unreadable;
  }

  void configure() {
    const RunSettings given = run_settings(arguments_);
    for (const Input& input : selection_.inputs) {
      Sources sources;
      sources.configuration = &configurations_.find(input.path);
      sources.entry =
          find_entry(session_.files, *sources.configuration, input.path, value("--target"));
      sources.run = joined(given, sources.configuration->run);
      sources_.push_back(std::move(sources));
    }
  }

  /// The option counts before every configuration's word; `none` is none.
  void read_baselines() {
    const std::optional<Setting> given = arguments_.one("--baseline");
    for (Sources& sources : sources_) {
      const std::optional<Setting> named = given ? given
                                           : hooks_.reads_baselines
                                               ? sources.configuration->baseline
                                               : std::nullopt;
      if (!named || named->value == "none") {
        continue;
      }
      auto found = baselines_.find(named->value);
      if (found == baselines_.end()) {
        found =
            baselines_.emplace(named->value, Baseline::read(session_.files, named->value)).first;
      }
      sources.baseline = &found->second;
    }
  }

  std::optional<Setting> rules_folder() const {
    std::optional<Setting> folder;
    for (const Sources& sources : sources_) {
      const std::optional<Setting>& rules = sources.run.rules;
      if (folder && rules && rules->value != folder->value) {
        throw world::UsageError(
            fmt::format("{} and {} name different `rules`: lint the files in two runs, or say "
                        "which with --rules",
                        folder->source,
                        rules->source));
      }
      folder = rules ? rules : folder;
    }
    return folder;
  }

  void make_tasks(const lint::Knowledge& knowledge) {
    for (std::size_t i = 0; i < selection_.inputs.size(); ++i) {
      const Input& input = selection_.inputs[i];
      const Sources& sources = sources_[i];
      LintTask task;
      task.path = input.path;
      task.named = input.named && !arguments_.flag("--skip-others");
      task.words_only = words_only_;
      if (input.standard) {
        task.standard = read_standard_input(arguments_, session_);
      }
      task.stronger = {&given_};
      if (sources.entry != nullptr) {
        task.weaker.push_back(&sources.entry->settings);
      }
      task.weaker.push_back(&sources.configuration->target);
      task.selection = selection_of(sources.run, knowledge);
      task.fix = fix_;
      task.baseline = sources.baseline;
      task.checkout = &checkout_;
      task.ignores = !arguments_.flag("--no-ignores");
      task.pricing = pricing_ ? &*pricing_ : nullptr;
      task.today = today_;
      task.shows_fixes = shows_fixes_;
      task.written_in_full = written_in_full_;
      task.selects_any = std::ranges::any_of(
          knowledge.rules, [&task](const lint::Rule& rule) { return task.selection.takes(rule); });
      tasks_.push_back(std::move(task));
      severities_.try_emplace(sources.configuration, sources.configuration->severity, knowledge);
      thresholds_.push_back(threshold_of(sources.run));
    }
  }

  /// Each file goes into every format as soon as those before it have: none is kept.
  void lint_all(const lint::Knowledge& knowledge,
                const Awaiting& ending,
                ReportBuilder& builder,
                ReportOutput& output) {
    const std::optional<Setting> document = arguments_.one("--document");
    Linter linter(session_.files,
                  knowledge,
                  machine_,
                  arguments_.words,
                  document ? parse_document(*document) : DocumentChoice{});
    fixed_.resize(tasks_.size());
    const bool shown = session_.terminal.err && !arguments_.flag("--quiet");
    Progress progress(shown ? &session_.err : nullptr, fix_ ? "fixing" : "linting", tasks_.size());
    run_in_order<LintOutcome>(
        tasks_.size(),
        threads_of(arguments_, tasks_.size()),
        [&](std::size_t i) { return ending.interrupted() ? LintOutcome{} : linter.run(tasks_[i]); },
        [&](std::size_t i, LintOutcome outcome) {
          if (!ending.interrupted()) {
            add(i, outcome, builder, output);
            progress.advance();
          }
        });
    check_base();
  }

  void add(std::size_t i, LintOutcome& outcome, ReportBuilder& builder, ReportOutput& output) {
    tell_unpriced(tasks_[i], outcome);
    fixed_[i] = std::move(outcome.fixed);
    base_is_used_ = base_is_used_ || !outcome.unreadable.empty() || !outcome.usage.empty();
    for (report::LintedFile& file : outcome.files) {
      file.fails_from = thresholds_[i].fail_on;
      severities_.at(sources_[i].configuration).apply(file.result);
      if (sources_[i].baseline != nullptr) {
        sources_[i].baseline->accept(checkout_, file);
      }
      base_is_used_ = base_is_used_ || file.recipe->base != nullptr;
      if (hooks_.each) {
        hooks_.each(file, checkout_);
      }
      hides_notes(thresholds_[i]) ? output.add_without_notes(file) : output.add(file);
    }
    builder.add(tasks_[i], thresholds_[i], outcome);
  }

  bool hides_notes(const Threshold& threshold) const {
    return hooks_.quiet_hides_notes && arguments_.flag("--quiet") &&
           threshold.fail_on != lint::Severity::note;
  }

  ExitCode judge(ReportBuilder& builder) {
    report::LintReport& report = builder.finish();
    for (const auto& [path, baseline] : baselines_) {
      const report::BaselineCount count = baseline.count([this](const std::string& name) {
        return session_.files.is_file(join(checkout_.root, Baseline::file_of(name)));
      });
      tell_settled(count);
      auto& all = report.baseline ? *report.baseline : report.baseline.emplace();
      all.path += (all.path.empty() ? "" : ", ") + count.path;
      all.known += count.known;
      all.settled += count.settled;
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
    if (fix_) {
      const ExitCode put = put_fixes(told, ending);
      if (put == ExitCode::interrupted) {
        return put;
      }
      code = worst(code, put);
    }
    if (hooks_.nothing_is_fine && !builder.any_file() && code == ExitCode::clean) {
      session_.err << "epwise: no recipe among the files"
                   << (hooks_.narrow ? " that changed\n" : "\n");
      output.drop_output();
    }
    for (const std::string& problem :
         output.write(fixed_to_output() ? session_.err : session_.out, session_.files)) {
      session_.err << "epwise: " << problem << '\n';
      code = worst(code, ExitCode::unreadable);
    }
    return code;
  }

  void tell_unpriced(const LintTask& task, const LintOutcome& outcome) {
    if (!outcome.unpriced.empty() && !arguments_.flag("--quiet")) {
      session_.err << fmt::format("epwise: {}: no prices: {}\n", task.path, outcome.unpriced);
    }
  }

  void tell_settled(const report::BaselineCount& count) {
    if (count.settled > 0) {
      session_.err << fmt::format(
          "epwise: {0} of {1} settled: `epwise baseline prune {1}` takes them out\n",
          report::counted(count.settled, "finding"),
          count.path);
    }
  }

  void check_base() const {
    if (given_.base && !base_is_used_) {
      throw world::UsageError(fmt::format(
          "{} {} is laid under files of overrides for Megatron-Bridge, and none is linted",
          given_.base->source,
          given_.base->value));
    }
  }

  /// Whether the changed text takes standard output, so that the findings have to go elsewhere.
  bool fixed_to_output() const {
    return fix_ && std::ranges::any_of(tasks_, [](const LintTask& task) {
             return task.standard || task.words_only;
           });
  }

  ExitCode put_fixes(bool told, const Awaiting& ending) {
    FixOutput output(session_, *fix_, arguments_.line, told);
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if (ending.interrupted()) {
        session_.err << fmt::format(
            "epwise: interrupted: {} changed, the others are as they were\n",
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

  Session& session_;
  const Arguments& arguments_;
  const LintHooks& hooks_;
  ThisMachine machine_;
  std::optional<FixOrder> fix_;
  bool shows_fixes_ = false;
  bool written_in_full_ = false;
  std::vector<std::optional<FixedText>> fixed_;  // by task
  TargetSettings given_;
  ConfigurationSearch configurations_;
  FileSelection selection_;
  bool words_only_ = false;
  std::vector<Sources> sources_;
  std::optional<Pricing> pricing_;
  std::vector<LintTask> tasks_;
  std::vector<Threshold> thresholds_;
  std::map<std::string, Baseline> baselines_;  // by file
  std::map<const Configuration*, Severities> severities_;
  bool base_is_used_ = false;  // or why not is said
  report::Checkout checkout_;
  std::string today_;
};

}  // namespace

ExitCode run_lint_with(Session& session, const Arguments& arguments, const LintHooks& hooks) {
  return LintRun(session, arguments, hooks).run();
}

ExitCode run_lint(Session& session, const Arguments& arguments) {
  return run_lint_with(session, arguments, {});
}

}  // namespace epwise::cli
