#include "commands/why/report.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ui/columns.h"
#include "ui/json.h"
#include "ui/snippet.h"

namespace epwise::report {

namespace {

using why::Step;
using why::Trace;

constexpr std::size_t kLongestValue = 60;

std::string value_text(const expr::Value& value) {
  std::string text = value.to_text();
  if (text.size() > kLongestValue) {
    text = text.substr(0, kLongestValue - 3) + "...";
  }
  return text;
}

std::string place_text(const text::Mark& mark) {
  const auto at = mark.start();
  return fmt::format("{}:{}:{}", mark.file->name(), at.line, at.column);
}

/// Source of one stage: "recipe.yaml:5:33", "default of Megatron-Bridge 0.6.2", "--gpus".
std::string source_text(const Step& step) {
  if (!step.mark.nowhere()) {
    return place_text(step.mark) + (step.kind == Step::Kind::replaced ? " (override)" : "");
  }
  switch (step.kind) {
    case Step::Kind::standard:
      return "default of " + (step.by.empty() ? std::string("the trainer") : step.by);
    case Step::Kind::rewritten:
      return fmt::format("rewritten at stage {}", step.by);
    case Step::Kind::unsaid:
      return step.by.empty() ? "not given" : step.by;
    default:
      return step.by.empty() ? std::string(why::to_string(step.kind)) : step.by;
  }
}

std::string needs_text(const expr::Value& value) {
  const auto* unknown = value.unknown();
  return unknown == nullptr ? "" : fmt::format("{}", fmt::join(unknown->needs, ", "));
}

/// A formula without the prefixes by which the rules distinguish computed values and arguments from
/// fields.
std::string formula_text(const std::string& formula) {
  std::string text;
  for (std::size_t at = 0; at < formula.size(); ++at) {
    const bool inside = at > 0 && (std::isalnum(static_cast<unsigned char>(formula[at - 1])) != 0 ||
                                   formula[at - 1] == '_' || formula[at - 1] == '.');
    for (const std::string_view prefix : {"d.", "mlm."}) {
      if (!inside && formula.compare(at, prefix.size(), prefix) == 0) {
        at += prefix.size();
      }
    }
    if (at < formula.size()) {
      text += formula[at];
    }
  }
  return text;
}

class WhyText {
 public:
  explicit WhyText(const Style& style) : style_(style), paint_(style.colour, style.hyperlinks) {}

  std::string run(const Trace& trace) {
    std::string head = fmt::format("{} = {}", trace.name, value_text(trace.value));
    if (!trace.doc.empty()) {
      const bool truth = trace.value.boolean() != nullptr;
      head += fmt::format("{}{}", truth ? "; true when " : ": ", trace.doc);
    }
    say(head, 0);
    if (!trace.formula.empty()) {
      say(fmt::format("= {}", formula_text(trace.formula)), 2);
    }
    for (const auto& step : trace.steps) {
      add(step);
    }
    add_remainders(trace);
    widest_ = widest(trace, 0);
    tree(trace, "");
    if (!trace.trainer_step.empty()) {
      say(fmt::format("in a step of the optimizer: {}, from the trainer's own settings",
                      trace.trainer_step),
          2);
    }
    if (const auto needs = needs_text(trace.value); !needs.empty()) {
      say(fmt::format("determined by: {}", needs), 2);
    }
    return out_;
  }

 private:
  void say(const std::string& sentence, int indent) {
    const std::string blanks(static_cast<std::size_t>(indent), ' ');
    bool first = true;
    for (const auto& line : wrap(printable(sentence, style_.unicode), style_.width - indent - 2)) {
      out_ += blanks + (first ? "" : "  ") + line + '\n';
      first = false;
    }
  }

  void add(const Step& step) {
    if (step.kind == Step::Kind::unsaid) {
      say(source_text(step), 2);
      return;
    }
    say(fmt::format("{}: {}{}{}",
                    step.kind == Step::Kind::rewritten  ? fmt::format("rewritten at {}", step.by)
                    : step.kind == Step::Kind::standard ? source_text(step)
                                                        : std::string(why::to_string(step.kind)),
                    value_text(step.value),
                    step.why.empty() ? "" : fmt::format(", {}", step.why),
                    step.upstream.empty() ? "" : fmt::format(" ({})", step.upstream)),
        2);
    if (!step.mark.nowhere()) {
      std::vector<SnippetLabel> labels{{.mark = step.mark, .words = "", .primary = true}};
      if (!step.assigned.nowhere()) {
        labels.push_back({.mark = step.assigned, .words = "assigned here", .primary = false});
      }
      out_ += render_snippet(labels, gutter_width(labels), lint::Severity::note, style_, paint_);
    } else if (step.kind == Step::Kind::target || step.kind == Step::Kind::environment) {
      say(step.by, 4);
    }
  }

  /// A formula rounds where the framework usually rejects: the remainder, and its consequence.
  void add_remainders(const Trace& trace) {
    for (const auto& inexact : trace.inexact) {
      const auto& rest = inexact.remainder;
      const std::string value = fmt::format(
          "not exact: {} // {} has remainder {}", rest.dividend, rest.divisor, rest.left);
      if (inexact.rule == nullptr) {
        say(fmt::format("{}; it is rounded down", value), 2);
      } else {
        const bool open = !inexact.rejects && !inexact.waiver.empty();
        say(fmt::format("{}; the framework does not round: {} ({}){}{}",
                        value,
                        inexact.rule->id,
                        inexact.rule->code,
                        inexact.rejects ? " rejects the launch"
                        : open          ? ""
                                        : ", an error after start-up",
                        inexact.waiver),
            2);
      }
    }
    for (const auto& input : trace.inputs) {
      add_remainders(input);
    }
  }

  static std::string head_of(const Trace& trace) {
    return fmt::format("{} = {}", trace.name, value_text(trace.value));
  }

  /// Columns of the widest left half of the tree, so that the sources are aligned.
  int widest(const Trace& trace, int depth) const {
    int width = 0;
    for (const auto& input : trace.inputs) {
      width = std::max(width, 3 * (depth + 1) + display_width(head_of(input)));
      width = std::max(width, widest(input, depth + 1));
    }
    return std::min(width, style_.width / 2);
  }

  void tree(const Trace& trace, const std::string& lead) {
    for (std::size_t i = 0; i < trace.inputs.size(); ++i) {
      const auto& input = trace.inputs[i];
      const bool last = i + 1 == trace.inputs.size();
      const std::string branch = style_.unicode ? (last ? "└─ " : "├─ ") : (last ? "'- " : "|- ");
      const std::string stem = style_.unicode ? (last ? "   " : "│  ") : (last ? "   " : "|  ");
      const std::string head = lead + branch + head_of(input);
      const int gap = std::max(2, widest_ + 2 - display_width(head));
      out_ += head + std::string(static_cast<std::size_t>(gap), ' ') +
              paint_(Role::dim, printable(tail_of(input), style_.unicode)) + '\n';
      tree(input, lead + stem);
    }
  }

  /// The right half of a tree entry: the source of a leaf, or how a node is computed.
  static std::string tail_of(const Trace& trace) {
    if (trace.above) {
      return "see above";
    }
    if (!trace.formula.empty()) {
      return fmt::format("= {}", formula_text(trace.formula));
    }
    std::string text;
    for (const auto& step : trace.steps) {
      const bool overtaken = step.kind == Step::Kind::standard && trace.steps.size() > 1;
      if (!overtaken) {
        text += (text.empty() ? "" : ", then ") + source_text(step);
      }
    }
    return text;
  }

  const Style& style_;
  Paint paint_;
  int widest_ = 0;
  std::string out_;
};

}  // namespace

std::string why_text(const why::Trace& trace, const Style& style) {
  return WhyText(style).run(trace);
}

namespace {

Json value_json(const expr::Value& value) {
  if (const auto* flag = value.boolean()) {
    return *flag;
  }
  if (const auto* integer = value.integer()) {
    return *integer;
  }
  if (const auto* real = value.real()) {
    return *real;
  }
  if (const auto* list = value.list()) {
    Json all = Json::array();
    for (const auto& item : *list) {
      all.push_back(value_json(item));
    }
    return all;
  }
  return value.is_unset() || !value.is_known() ? Json() : Json(value.to_text());
}

void add_place(const text::Mark& mark, Json& json) {
  const auto at = mark.start();
  json["path"] = mark.file->name();
  json["line"] = at.line;
  json["column"] = at.column;
}

Json step_json(const why::Step& step) {
  Json json = {{"kind", why::to_string(step.kind)},
               {"value", value_json(step.value)},
               {"by", step.by},
               {"why", step.why},
               {"upstream", step.upstream}};
  if (!step.mark.nowhere()) {
    add_place(step.mark, json);
  }
  if (!step.assigned.nowhere()) {
    add_place(step.assigned, json["assigned"]);
  }
  return json;
}

Json why_trace_json(const why::Trace& trace) {
  Json steps = Json::array();
  for (const auto& step : trace.steps) {
    steps.push_back(step_json(step));
  }
  Json inputs = Json::array();
  for (const auto& input : trace.inputs) {
    inputs.push_back(why_trace_json(input));
  }
  Json json = {{"name", trace.name}, {"key", trace.key}, {"value", value_json(trace.value)}};
  if (const auto* unknown = trace.value.unknown()) {
    json["needs"] = unknown->needs;
  }
  if (const auto* crash = trace.value.crashed()) {
    json["raises"] = crash->what;
  }
  if (!trace.trainer_step.empty()) {
    json["trainer_step"] = trace.trainer_step;
  }
  json["doc"] = trace.doc;
  json["formula"] = trace.formula;
  for (const auto& inexact : trace.inexact) {
    json["inexact"].push_back({{"dividend", inexact.remainder.dividend},
                               {"divisor", inexact.remainder.divisor},
                               {"left", inexact.remainder.left},
                               {"rule", inexact.rule == nullptr ? Json() : Json(inexact.rule->id)},
                               {"rejects", inexact.rejects}});
  }
  json["steps"] = steps;
  json["inputs"] = inputs;
  return json;
}

}  // namespace

std::string why_json(const why::Trace& trace, const std::vector<session::NewerRelease>& newer) {
  Json json = {{"schema", "epwise.why/1"}};
  add_newer_releases(newer, json);
  json.update(why_trace_json(trace));
  return json_text(json);
}

}  // namespace epwise::report
