#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "expr/expression.h"

namespace epwise::lint {

enum class Severity : std::uint8_t { note, warning, error };
/// How sure: `proven` an upstream check or a run says so; `likely` follows from code or reports;
/// `heuristic` is advice.
enum class Confidence : std::uint8_t { heuristic, likely, proven };
/// What a change touches: nothing (neutral), speed and memory (performance), the mathematics
/// (training).
enum class Tier : std::uint8_t { neutral, performance, training };

std::string_view to_string(Severity severity);
std::string_view to_string(Confidence confidence);
std::string_view to_string(Tier tier);

/// Releases of one framework for which a rule, rewrite or stage holds: since ≤ version ≤ until;
/// empty ends are open.
struct Range {
  std::string_view framework;  // "bridge" or "mlm"
  std::string_view since;
  std::string_view until;
};

/// Where in the launch a check stands: the stage (rules/launch/<framework>.yaml) and its place in
/// it. Places are the line numbers of upstream's head, because that is the order in which the
/// checks run.
struct Place {
  std::string_view framework;
  std::string_view stage;
  std::int32_t order = 0;
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
  std::int32_t slot = -1;
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

/// One rule file, compiled. Text is a view into the table that holds the rule.
struct Rule {
  std::string_view id;                    // "overlap/expert-ranks": the path under rules/
  std::string_view code;                  // "EPO001"
  std::vector<std::string_view> aliases;  // other codes that mean the same
  Severity severity = Severity::error;
  Confidence confidence = Confidence::proven;
  bool builtin = false;         // found by a reader or the engine; has no condition
  bool preview = false;         // never affects the exit code
  std::vector<Range> versions;  // empty: both frameworks, all versions
  std::vector<Place> places;    // non-empty: an upstream launch check that rejects
  expr::Expression given;       // empty: true
  expr::Expression assertion;
  std::string_view given_text;
  std::string_view assert_text;
  std::vector<std::int32_t> after;  // rules whose failure explains this one (indices)
  std::vector<std::int32_t>
      premises;  // those, and the premises of every derived value read, transitively
  std::vector<Operand>
      operands;           // the first that has a place in the user's text carries the finding
  std::string_view what;  // the defect in at most 70 characters
  std::vector<MessagePart> message;
  std::string_view why;
  std::vector<RuleFix> fixes;
  std::vector<Reference> references;
  std::vector<Example> examples;
  std::vector<std::string_view> log;  // a few words each that only this check's message holds
};

}  // namespace epwise::lint
