#include "commands/explain/crash_explanation.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <istream>
#include <iterator>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "advise/moves.h"
#include "commands/explain/flag_advice.h"
#include "commands/explain/flight_record.h"
#include "commands/explain/job_messages.h"
#include "commands/explain/troubles.h"
#include "commands/lint/linting.h"
#include "commands/why/trace.h"
#include "perf/cost/compiled_table.h"
#include "perf/sim/constants/constants.h"
#include "session/files/file_selection.h"
#include "session/target/resolution.h"
#include "ui/lint_options.h"
#include "ui/report_output.h"
#include "ui/single_recipe.h"
#include "ui/standard_input.h"

namespace epwise::cli {

namespace {

constexpr std::size_t kLongestLog = std::size_t{1} << 30;
constexpr std::size_t kMostCases = 20;  // limit on lines searched

/// How compressed files start, and what unpacks them.
constexpr std::array<std::array<std::string_view, 2>, 4> kPackers = {
    {{"\x1f\x8b", "gzip"}, {"\x28\xb5\x2f\xfd", "zstd"}, {"\xfd\x37zXZ", "xz"}, {"BZh", "bzip2"}}};

void refuse_compressed(std::string_view bytes, const std::string& path) {
  for (const auto& [start, packer] : kPackers) {
    if (bytes.starts_with(start)) {
      throw os::MissingError(
          fmt::format("cannot read {0}: it is compressed; unpack it on the way: "
                      "`{1} -dc {0} | epwise explain --from-log -`",
                      session::is_standard_input(path) ? "the log" : path,
                      packer));
    }
  }
}

void append_utf8(std::string& text, std::uint32_t point) {
  constexpr std::array<std::uint32_t, 4> kLeads = {0, 0xC0, 0xE0, 0xF0};
  const std::uint32_t more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  text += static_cast<char>(kLeads[more] | point >> 6 * more);
  for (std::uint32_t rest = more; rest > 0; --rest) {
    text += static_cast<char>(0x80 | (point >> 6 * (rest - 1) & 0x3F));
  }
}

/// A log that PowerShell or an editor stored as UTF-16, which starts with a byte-order mark, as UTF-8;
/// any other unchanged. A half of a pair without the other becomes U+FFFD.
std::string as_utf8(std::string bytes) {
  const bool little = bytes.starts_with("\xff\xfe");
  if (!little && !bytes.starts_with("\xfe\xff")) {
    return bytes;
  }
  const auto unit = [&](std::size_t at) -> std::uint32_t {
    const std::uint32_t first = static_cast<unsigned char>(bytes[at]);
    const std::uint32_t second = static_cast<unsigned char>(bytes[at + 1]);
    return little ? first | second << 8U : second | first << 8U;
  };
  std::string text;
  text.reserve(bytes.size() / 2);
  for (std::size_t at = 2; at + 1 < bytes.size(); at += 2) {
    std::uint32_t point = unit(at);
    if (point >= 0xD800 && point < 0xE000) {
      const std::uint32_t low = point < 0xDC00 && at + 3 < bytes.size() ? unit(at + 2) : 0;
      const bool pair = low >= 0xDC00 && low < 0xE000;
      point = pair ? 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00) : 0xFFFD;
      at += pair ? 2 : 0;
    }
    append_utf8(text, point);
  }
  return text;
}

std::string read_log(Console& console, const std::string& path) {
  std::string bytes = session::is_standard_input(path) ? read_all(console.in)
                                                       : console.files.read(path, kLongestLog);
  refuse_compressed(bytes, path);
  return as_utf8(std::move(bytes));
}

/// The Megatron-LM version whose flags apply: the recipe's, otherwise the newest.
recipe::Vocabulary flags_of(const report::CrashReport& report) {
  using recipe::Framework;
  const bool mlm = report.recipe && report.recipe->recipe->framework == Framework::mlm;
  return recipe::Vocabulary::load(Framework::mlm,
                                  mlm ? report.recipe->result.framework_version : "");
}

/// Whether all that is known is that something failed: a process died, which is what most errors end
/// in, or NCCL did.
bool is_vague(const report::CrashCase& each) {
  return each.trouble && each.trouble->trouble->vague;
}

/// Its place in `order`, from 0.
int place_of(const report::CrashCase& each) {
  const bool mentioned = each.crash.kind == audit::Crash::Kind::mentioned;
  const bool cut = each.crash.kind == audit::Crash::Kind::cut;
  if (each.crash.kind == audit::Crash::Kind::aftermath) {
    return each.trouble ? 5 : 6;
  }
  if (!each.suspects.empty() && each.suspects.front().sure) {
    return 0;
  }
  if ((mentioned || cut) && each.suspects.empty() && !each.trouble) {
    return 4;
  }
  if (cut || is_vague(each)) {
    return 3;
  }
  return mentioned ? 2 : 1;
}

/// The cause first: an error certainly explained by a rule ranks above earlier ones, merely
/// mentioned words below errors, then what only says that something failed and words that nothing is
/// known of; consequences of others last.
void order(std::vector<report::CrashCase>& cases) {
  std::ranges::stable_sort(cases, {}, place_of);
}

/// Words without the form of an error, possibly in normal output, are never conclusive.
void look_at_lines(const std::string& text,
                   const lint::Knowledge& knowledge,
                   report::CrashReport& report) {
  for (auto& crash : audit::spoken_lines(text, knowledge)) {
    auto suspects =
        audit::suspects(crash, knowledge, report.recipe ? &report.recipe->result : nullptr);
    for (auto& suspect : suspects) {
      suspect.sure = false;
    }
    report.cases.push_back({std::move(crash), std::move(suspects), {}, {}});
  }
}

bool is_known(const report::CrashCase& each) {
  return !each.suspects.empty() || (each.trouble && !each.trouble->by_place);
}

/// Words of a known failure anywhere in a log without recognised errors; they rank above mere
/// consequences.
void look_for_troubles(const std::string& text,
                       const lint::Knowledge& knowledge,
                       report::CrashReport& report) {
  const bool known = std::ranges::any_of(report.cases, [](const report::CrashCase& each) {
    return each.crash.kind != audit::Crash::Kind::aftermath && is_known(each) && !is_vague(each);
  });
  if (known) {
    return;
  }
  for (auto& crash : audit::trouble_lines(text, knowledge)) {
    const bool told = std::ranges::any_of(
        report.cases, [&](const report::CrashCase& each) { return each.crash.line == crash.line; });
    if (!told) {
      auto trouble = audit::recognise(crash, knowledge);
      report.cases.push_back({std::move(crash), {}, {}, std::move(trouble)});
    }
  }
  order(report.cases);
}

/// What a log without any error says of its iterations: slow, or skipped.
void look_at_steps(const std::string& text,
                   const lint::Knowledge& knowledge,
                   report::CrashReport& report) {
  audit::StepStory story = audit::step_story(text);
  if (story.message.empty()) {
    return;
  }
  audit::Crash crash;
  crash.message = std::move(story.message);
  crash.line = story.line;
  crash.kind = audit::Crash::Kind::mentioned;
  auto trouble = audit::recognise(crash, knowledge);
  if (trouble) {
    trouble->facts = std::move(story.facts);
  }
  report.cases.push_back({std::move(crash), {}, {}, std::move(trouble)});
}

/// What the user accepts may still be what a run died of.
void take_back_accepted(lint::Result& result, report::CrashReport& report) {
  for (lint::Accepted& each : result.accepted) {
    report.accepted.emplace(each.finding.rule, each.source);
    result.findings.push_back(std::move(each.finding));
  }
  result.accepted.clear();
}

/// The recipe's settings related to the failure of the first case.
void ask_recipe(const Analysis& analysis, report::CrashReport& report) {
  if (report.cases.empty() || !report.cases.front().trouble) {
    return;
  }
  const auto& trouble = *report.cases.front().trouble->trouble;
  const why::Tracer tracer(
      *analysis.recipe, analysis.vocabulary(), *analysis.target, analysis.knowledge());
  for (const auto field : trouble.fields) {
    report.settings.push_back(tracer.trace(std::string(field)));
  }
  for (const auto id : trouble.rules) {
    const lint::Rule* rule = analysis.knowledge().find(id);
    // A prediction that was not made, or that does not point to the trouble, clears nothing.
    if (!lint::is_predicted(*rule) ||
        audit::standing(*rule, analysis.result).kind == audit::Standing::Kind::found) {
      report.about.push_back(rule);
    }
  }
}

/// What the first case shows of the run and the recipe excludes: frames of another dispatcher, or of
/// another schedule.
void compare(const Analysis& analysis, report::CrashReport& report) {
  if (report.cases.empty()) {
    return;
  }
  const auto shown = audit::everything_of(report.cases.front().crash);
  const auto is_shown = [&](std::string_view words) { return audit::wording_in(shown, words) > 0; };
  const why::Tracer tracer(
      *analysis.recipe, analysis.vocabulary(), *analysis.target, analysis.knowledge());
  for (const auto& sign : analysis.knowledge().tables.signs) {
    if (std::ranges::none_of(sign.log, is_shown) || std::ranges::any_of(sign.unless, is_shown)) {
      continue;
    }
    const auto trace = tracer.trace(std::string(sign.name));
    const auto value = trace.value.to_text();
    if (trace.value.is_known() && std::ranges::find(sign.is, value) == sign.is.end()) {
      report.contradictions.push_back(fmt::format("{}, and {} is {} in {}",
                                                  sign.what,
                                                  trace.name,
                                                  value,
                                                  report.recipe ? report.recipe->path : ""));
    }
  }
}

report::CrashReport::LookedFor looked_for(const lint::Knowledge& knowledge) {
  report::CrashReport::LookedFor result;
  for (const auto& rule : knowledge.rules) {
    result.spoken += rule.prose->log.empty() ? 0 : 1;
    result.placed += rule.places.empty() ? 0 : 1;
  }
  for (const auto& trouble : *knowledge.tables.troubles) {
    result.troubles.push_back(trouble.name);
  }
  return result;
}

void look_into(audit::CrashLog log, const lint::Knowledge& knowledge, report::CrashReport& report) {
  const auto vocabulary = flags_of(report);
  for (auto& crash : log.crashes) {
    report::CrashCase each{std::move(crash), {}, {}, {}};
    each.trouble = audit::recognise(each.crash, knowledge);
    const bool follows = each.crash.kind == audit::Crash::Kind::aftermath;
    if (!follows && report.cases.size() < kMostCases) {
      each.suspects =
          audit::suspects(each.crash, knowledge, report.recipe ? &report.recipe->result : nullptr);
      each.advice = audit::flag_advice(each.crash, vocabulary);
    }
    report.cases.push_back(std::move(each));
  }
  report.first_failure = log.first_failure;
  order(report.cases);
}

/// What a whole log says of a trouble, reported with its first case.
void add_facts(const std::string& log,
               std::string_view trouble,
               std::vector<std::string> (*facts_of)(std::string_view log),
               report::CrashReport& report) {
  const auto first = std::ranges::find_if(report.cases, [&](const report::CrashCase& each) {
    return each.trouble && each.trouble->trouble->name == trouble;
  });
  if (first != report.cases.end()) {
    std::vector<std::string> facts = facts_of(log);
    std::ranges::move(facts, std::back_inserter(first->trouble->facts));
  }
}

/// A report about the recipe, if one is given, and no crashes yet.
CrashAnswer open_answer(const std::string& name,
                        Workspace& workspace,
                        std::optional<Analysis> recipe) {
  CrashAnswer answer;
  answer.analysis = std::move(recipe);
  report::CrashReport& report = answer.report;
  report.log = name;
  if (answer.analysis) {
    const Analysis& analysis = *answer.analysis;
    take_back_accepted(answer.analysis->result, report);
    report.recipe = linted_file(analysis);
  }
  answer.knowledge = answer.analysis ? answer.analysis->document->knowledge
                                     : workspace.knowledge(workspace.given().run);
  return answer;
}

/// What would lower the memory of a recipe that ran out of it.
advise::Reliefs reliefs_for(const Analysis& recipe, const report::CrashReport& report) {
  const bool by_memory = !report.cases.empty() && report.cases.front().trouble &&
                         report.cases.front().trouble->trouble->name == "gpu-memory";
  if (!by_memory || recipe.recipe == nullptr || !recipe.recipe->readable ||
      recipe.target->hw == nullptr || !recipe.target->gpus) {
    return {};
  }
  const cost::Table laws = cost::compiled_table();
  const advise::World world{
      .base = recipe, .laws = laws, .constants = sim::constants(), .inputs = {}};
  return advise::reliefs_of(world, advise::knowledge());
}

void close_answer(CrashAnswer& answer) {
  if (answer.analysis) {
    ask_recipe(*answer.analysis, answer.report);
    answer.report.reliefs = reliefs_for(*answer.analysis, answer.report);
    compare(*answer.analysis, answer.report);
  }
  answer.report.looked_for = looked_for(*answer.knowledge);
  answer.known = !answer.report.cases.empty() && is_known(answer.report.cases.front());
}

/// The dumps of NCCL's flight recorder in a folder, or the one that a file is; none if the path is
/// something else. Files of a folder that cannot be read are left out and named.
std::vector<audit::FlightDump> read_dumps(Console& console,
                                          const std::string& path,
                                          const std::string& text) {
  std::vector<audit::FlightDump> dumps;
  if (!console.files.is_directory(path)) {
    if (audit::is_flight_dump(text)) {
      try {
        dumps.push_back({path, audit::read_flight_dump(text)});
      } catch (const audit::DumpError& error) {
        throw os::UsageError(fmt::format("cannot read the dump {}: {}", path, error.what()));
      }
    }
    return dumps;
  }
  for (const std::string& name : console.files.list(path)) {
    const std::string file = path + (path.ends_with('/') ? "" : "/") + name;
    if (!console.files.is_file(file)) {
      continue;
    }
    const std::string bytes = console.files.read(file, kLongestLog);
    if (!audit::is_flight_dump(bytes)) {
      continue;
    }
    try {
      dumps.push_back({name, audit::read_flight_dump(bytes)});
    } catch (const audit::DumpError& error) {
      console.err << fmt::format("epwise: {} is left out: {}\n", file, error.what());
    }
  }
  if (dumps.empty()) {
    throw os::UsageError(fmt::format(
        "{} contains no dump of NCCL's flight recorder; TORCH_NCCL_DUMP_ON_TIMEOUT=1 and "
        "TORCH_NCCL_TRACE_BUFFER_SIZE=2000 write one for each rank",
        path));
  }
  return dumps;
}

CrashAnswer answer_of_dumps(const std::vector<audit::FlightDump>& dumps,
                            const std::string& name,
                            Workspace& workspace,
                            std::optional<Analysis> recipe) {
  CrashAnswer answer = open_answer(name, workspace, std::move(recipe));
  audit::FlightStory story = audit::read_flight(dumps);
  if (!story.crash.message.empty()) {
    report::CrashCase each{std::move(story.crash), {}, {}, {}};
    each.trouble = audit::recognise(each.crash, *answer.knowledge);
    if (each.trouble) {
      each.trouble->facts = std::move(story.facts);
    }
    answer.report.cases.push_back(std::move(each));
  }
  close_answer(answer);
  return answer;
}

}  // namespace

CrashAnswer answer_of(const std::string& log,
                      const std::string& name,
                      Workspace& workspace,
                      std::optional<Analysis> recipe) {
  CrashAnswer answer = open_answer(name, workspace, std::move(recipe));
  report::CrashReport& report = answer.report;
  const lint::Knowledge& knowledge = *answer.knowledge;
  look_into(audit::read_crashes(log), knowledge, report);
  look_for_troubles(log, knowledge, report);
  if (report.cases.empty()) {
    look_at_lines(log, knowledge, report);
  }
  if (report.cases.empty()) {
    look_at_steps(log, knowledge, report);
  }
  add_facts(log, "collective-timeout", audit::watchdog_facts, report);
  add_facts(log, "time-limit", audit::time_limit_facts, report);
  close_answer(answer);
  return answer;
}

session::Given given_for_log(const Arguments& arguments) {
  session::Given given = given_by(arguments);
  given.selects = false;
  return given;
}

namespace {

/// Text whose columns mean something, as a block of Markdown.
std::string markdown_block(std::string_view text) {
  std::string fence = "```";
  while (text.find(fence) != std::string_view::npos) {
    fence += '`';
  }
  return fmt::format("{0}text\n{1}{0}\n", fence, text);
}

}  // namespace

ExitCode explain_log(Console& console, const Arguments& arguments, const std::string& path) {
  if (arguments.operands.size() > 1) {
    throw os::UsageError("`epwise explain --from-log` takes at most one recipe");
  }
  const bool folder = !session::is_standard_input(path) && console.files.is_directory(path);
  const auto text = folder ? std::string() : read_log(console, path);
  const auto dumps = read_dumps(console, path, text);
  Workspace workspace(console.host(), given_for_log(arguments));
  std::optional<Analysis> analysis;
  if (!arguments.operands.empty() || !arguments.words.empty()) {
    const std::string file = arguments.operands.empty() ? "" : arguments.operands.front();
    analysis = analyze_path(file, arguments, console, workspace);
  }
  const std::string name = session::is_standard_input(path) ? "<stdin>" : path;
  const CrashAnswer answer = dumps.empty()
                                 ? answer_of(text, name, workspace, std::move(analysis))
                                 : answer_of_dumps(dumps, name, workspace, std::move(analysis));
  const std::string format = arguments.text_of("--format", "text");
  if (format == "json") {
    console.out << report::crash_json(answer.report);
  } else if (format == "markdown") {
    report::Style style = style_of(arguments, console);
    style.colour = false;
    style.hyperlinks = false;
    console.out << markdown_block(report::crash_text(answer.report, style));
  } else {
    console.out << report::crash_text(answer.report, style_of(arguments, console));
  }
  return answer.known ? ExitCode::clean : ExitCode::findings;
}

}  // namespace epwise::cli
