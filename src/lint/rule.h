#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded/archive.h"
#include "expr/expression.h"

namespace epwise::lint {

enum class Severity : std::uint8_t { note, warning, error };
/// Confidence: `proven` by an upstream check or a run; `likely` from code or reports; `heuristic`
/// is advice.
enum class Confidence : std::uint8_t { heuristic, likely, proven };
/// What a violated rule does to the run: the launch is refused, a started run crashes, hangs,
/// trains something else than asked for without a message, needs too much memory or loses speed;
/// `style` costs nothing but clarity.
enum class Effect : std::uint8_t { refuse, crash, hang, wrong, memory, slow, style };
/// When the user notices: `whole_run` is from the first step to the last, `later` some steps or
/// hours in.
enum class Moment : std::uint8_t {
  start,
  capture,
  first_step,
  first_log,
  evaluation,
  checkpoint,
  resume,
  later,
  whole_run
};
/// What a change affects: nothing (neutral), speed and memory (performance), the numerics
/// (training).
enum class Tier : std::uint8_t { neutral, performance, training };

std::string_view to_string(Severity severity);
std::string_view to_string(Confidence confidence);
std::string_view to_string(Effect effect);
std::string_view to_string(Moment moment);
std::string_view to_string(Tier tier);

/// Releases of one framework to which a rule, rewrite or stage applies: since ≤ version ≤ until;
/// empty ends are open.
struct Range {
  std::string_view framework;  // "bridge" or "mlm"
  std::string_view since;
  std::string_view until;
};

/// Where in the launch a check is made: the stage (rules/launch/<framework>.yaml) and its place in
/// it. Places are line numbers of upstream's head, because that is the order in which the checks
/// run.
struct Place {
  std::string_view framework;
  std::string_view stage;
  std::int32_t order = 0;
  Range versions = {};  // in which the check stands there; no framework: in all
};

/// A piece of a message: text, or an expression whose value is printed.
struct MessagePart {
  std::string_view text;
  expr::Expression expression;  // empty for text
};

struct Change {
  std::string_view field;  // canonical name, or "env.X"
  std::string_view text;   // the new value as an expression, as written; empty: remove the key
  expr::Expression value;
};

struct RuleFix {
  std::string_view title;
  Tier tier = Tier::performance;
  expr::Expression when;        // empty: always
  std::vector<Change> changes;  // empty: advice in words
};

struct Operand {
  expr::NameSlot slot{0};
  std::string_view label;  // a few words for the secondary span; may be empty
};

struct Reference {
  std::string_view repository;  // "NVIDIA-NeMo/Megatron-Bridge"; "" for a plain URL
  std::string_view path;        // or the URL
  std::string_view lines;       // "479", "63-76"; may be empty
  std::string_view commit;      // "067f987d"; may be empty
};

struct Example {
  enum class Verdict : std::uint8_t { fails, passes, open };
  Verdict verdict = Verdict::fails;
  std::string_view arguments;  // "--hw h100 --gpus 16 --stack te=2.6.0"
  std::string_view recipe;     // YAML; in `fails` the line of the finding ends with "# here"
};

/// What a rule says once it has fired, and what documents it.
struct Prose {
  std::vector<MessagePart> message;
  std::vector<RuleFix> fixes;
  std::vector<Reference> references;
  std::vector<Example> examples;
  std::vector<std::string_view> log;  // fragments that only this check's message contains
};

/// One rule file, compiled. Text is a view into the table that holds the rule.
struct Rule {
  std::string_view id;                    // "overlap/expert-ranks": the path under rules/
  std::string_view code;                  // "EPO001"
  std::vector<std::string_view> aliases;  // other codes that mean the same
  Severity severity = Severity::error;
  Confidence confidence = Confidence::proven;
  Effect effect = Effect::refuse;
  Moment moment = Moment::start;
  bool builtin = false;         // found by a reader or the engine; has no condition
  bool aside = false;           // a note that text output shows with --verbose only
  bool preview = false;         // never affects the exit code
  bool by_tables = false;       // true only of releases with these fields and flags
  std::vector<Range> versions;  // empty: both frameworks, all versions
  std::vector<Place> places;    // non-empty: an upstream launch check that rejects
  expr::Expression given;       // empty: true
  expr::Expression assertion;
  std::string_view given_text;
  std::string_view assert_text;
  std::vector<std::int32_t> after;  // rules whose failure explains this one (indices)
  // those, and transitively the premises of all derived values read
  std::vector<std::int32_t> premises;
  std::vector<Operand>
      operands;           // the first that has a place in the user's text carries the finding
  std::string_view what;  // the defect in at most 70 characters
  std::string_view why;
  embedded::Deferred<Prose> prose;
};

/// True if `version` of `framework` is in one of the ranges; no ranges at all means everywhere.
///   holds({{"bridge", "0.5.0", ""}}, "bridge", "0.6.2") → true;  …, "mlm", "0.19.0") → false
bool holds(const std::vector<Range>& ranges, std::string_view framework, std::string_view version);

/// "all", "0.5.0..", "..0.6.2", "0.5.0..0.6.2", "0.6.2" → since and until; nullopt for anything
/// else. The views point into `text`.
std::optional<Range> parse_range(std::string_view framework, std::string_view text);

/// "Megatron-Bridge from 0.5.0, Megatron-LM 0.16.1 to 0.18.2"; "all versions" if there are none.
std::string to_text(const std::vector<Range>& ranges);

/// Whether the rule's findings come from predictions, only made for `epwise lint --price`: the
/// rules of rules/price/.
inline bool is_priced(const Rule& rule) {
  return rule.id.starts_with("price/");
}

/// Whether the rule's findings come from the memory model, which linting runs without the time of a
/// step: the rules of rules/memory/. No reason not to predict the recipe.
inline bool is_predicted(const Rule& rule) {
  return rule.id.starts_with("memory/");
}

}  // namespace epwise::lint
