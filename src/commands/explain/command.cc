#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "base/text/count.h"
#include "commands/all.h"
#include "commands/explain/crash_explanation.h"
#include "commands/rules/rule_document.h"
#include "session/options/arguments.h"
#include "session/options/run_options.h"
#include "session/options/target_options.h"
#include "session/settings/rules_source.h"
#include "ui/catalogue_json.h"
#include "ui/lint_options.h"
#include "ui/report_output.h"

namespace epwise::cli {

namespace {

constexpr std::string_view kAboutExplain = R"(LOGS
  --from-log reads tracebacks, argparse errors and single-line errors, also if the output of several
  ranks is interleaved. Message texts and upstream line numbers identify a rule; failures of running
  jobs (out of memory, time-outs, missing packages, ...) are recognised by their message texts. With
  the recipe and the target of the run (--hw, --gpus, --stack, words after --), epwise also locates
  the finding and suggests a fix, or shows which parts of the recipe affect the failure. If nothing
  matches, it reports what it searched for.

  A dump of NCCL's flight recorder (TORCH_NCCL_DUMP_ON_TIMEOUT=1), or better the folder with those of
  all ranks, is compared rank by rank: which collective of which group is open, and who has not issued
  it. Of a pickle only numbers, texts, lists and mappings are read; nothing is executed.
)";

/// Rules with a word in their id, title or message, in the order of their ids; case is ignored.
std::vector<const lint::Rule*> rules_about(const lint::Knowledge& knowledge,
                                           const std::string& word) {
  const std::string wanted = text::lower(word);
  std::vector<const lint::Rule*> rules;
  for (const lint::Rule& rule : knowledge.rules) {
    const std::string about = text::lower(fmt::format("{} {}", rule.id, rule.what));
    if (about.find(wanted) != std::string::npos) {
      rules.push_back(&rule);
    }
  }
  std::ranges::sort(rules, {}, &lint::Rule::id);
  return rules;
}

void print_titles(const std::vector<const lint::Rule*>& rules,
                  const std::string& word,
                  Console& console) {
  std::size_t width = 0;
  for (const lint::Rule* rule : rules) {
    width = std::max(width, rule->id.size());
  }
  for (const lint::Rule* rule : rules) {
    console.out << fmt::format("{:<7} {:<{}}  {}\n", rule->code, rule->id, width, rule->what);
  }
  console.err << fmt::format("epwise: `{}` is not a rule; {} about it: `epwise explain {}`\n",
                             word,
                             text::counted(rules.size(), "rule"),
                             rules.front()->code);
}

ExitCode run_explain(Console& console, const Arguments& arguments) {
  if (const auto log = arguments.one("--from-log")) {
    return explain_log(console, arguments, text::path_for_logs(log->value));
  }
  if (arguments.operands.empty()) {
    throw os::UsageError(
        "no rule given: `epwise explain EPO001`, or a word that rules are about: `epwise explain "
        "pipeline`; `epwise rules list` names them");
  }
  const lint::Knowledge knowledge = load_rules(console.files, arguments.one("--rules"));
  const std::string format = arguments.text_of("--format", "text");
  const std::string& word = arguments.operands.front();
  const bool may_be_topic = word.find('/') == std::string::npos && format == "text";
  if (arguments.operands.size() == 1 && may_be_topic && knowledge.find(word) == nullptr) {
    const std::vector<const lint::Rule*> about = rules_about(knowledge, word);
    if (!about.empty()) {
      print_titles(about, word, console);
      return ExitCode::clean;
    }
  }
  const int width = text_width(console.terminal, console.variables);
  std::vector<const lint::Rule*> rules;
  for (const std::string& name : arguments.operands) {
    rules.push_back(&find_rule(knowledge, name));
  }
  if (format == "json") {
    console.out << report::rules_json(rules, knowledge);
    return ExitCode::clean;
  }
  bool first = true;
  for (const lint::Rule* rule : rules) {
    const Page document = document_of(*rule, knowledge);
    console.out << (first ? "" : "\n")
                << (format == "markdown" ? to_markdown(document) : to_text(document, width));
    first = false;
  }
  return ExitCode::clean;
}

std::vector<Option> explain_options() {
  std::vector<Option> result = {{.name = "--from-log",
                                 .arity = Option::Arity::one,
                                 .value = "FILE",
                                 .summary = "find the rules that explain the errors in a crash "
                                            "log, or in a folder of NCCL dumps; - for "
                                            "standard input",
                                 .completion = Completion::files,
                                 .brief = true},
                                {.name = "--format",
                                 .short_name = "-f",
                                 .arity = Option::Arity::one,
                                 .value = "NAME",
                                 .summary = "text (default), markdown or json",
                                 .words = {"text", "markdown", "json"},
                                 .completion = Completion::words},
                                rules_option()};
  for (const auto& more : {target_options(), configuration_options()}) {
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

}  // namespace

Command explain_command() {
  return {
      .name = "explain",
      .usage = "explain CODE|ID... | explain --from-log FILE [RECIPE [-- WORD...]]",
      .summary = "explain a rule: what it finds, why it matters, how to fix it; or explain a crash",
      .examples = {{"explain EPO001", "by code"},
                   {"explain overlap/expert-ranks --format markdown", "by id"},
                   {"explain --from-log slurm-1234.out recipe.yaml --gpus 64",
                    "the rule that explains a crash, and the fix"}},
      .options = explain_options(),
      .exits = {{ExitCode::clean, "rules shown; with --from-log, the first error was recognised"},
                {ExitCode::findings, "only with --from-log: the first error was not recognised"}},
      .about = kAboutExplain,
      .operands = Completion::rules,
      .takes_words = true,
      .run = run_explain};
}

}  // namespace epwise::cli
