#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/columns.h"
#include "report/snippet.h"
#include "report/why/writer.h"

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

std::string place(const text::Mark& mark) {
  const auto at = mark.start();
  return fmt::format("{}:{}:{}", mark.file->name(), at.line, at.column);
}

/// Where one station stands: "recipe.yaml:5:33", "default of Megatron-Bridge 0.6.2", "--gpus".
std::string source_text(const Step& step) {
  if (!step.mark.nowhere()) {
    return place(step.mark) + (step.kind == Step::Kind::replaced ? " (override)" : "");
  }
  switch (step.kind) {
    case Step::Kind::standard:
      return fmt::format("default of {}", step.by);
    case Step::Kind::rewritten:
      return fmt::format("rewritten at stage {}", step.by);
    case Step::Kind::unsaid:
      return step.by.empty() ? "nobody says" : step.by;
    default:
      return step.by.empty() ? std::string(why::to_string(step.kind)) : step.by;
  }
}

std::string needs_text(const expr::Value& value) {
  const auto* unknown = value.unknown();
  return unknown == nullptr ? "" : fmt::format("{}", fmt::join(unknown->needs, ", "));
}

/// A formula without the prefixes by which the rules tell computed values and arguments from
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

class Text {
 public:
  explicit Text(const Style& style) : style_(style), paint_(style.colour, style.hyperlinks) {}

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
    if (const auto needs = needs_text(trace.value); !needs.empty()) {
      say(fmt::format("settled by: {}", needs), 2);
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
      const std::vector<SnippetLabel> labels{{.mark = step.mark, .words = "", .primary = true}};
      out_ += render_snippet(labels, gutter_width(labels), lint::Severity::note, style_, paint_);
    } else if (step.kind == Step::Kind::target || step.kind == Step::Kind::environment) {
      say(step.by, 4);
    }
  }

  /// A formula rounds where the framework mostly refuses: what it leaves over, and what happens.
  void add_remainders(const Trace& trace) {
    for (const auto& inexact : trace.inexact) {
      const auto& rest = inexact.remainder;
      const std::string value =
          fmt::format("not exact: {} // {} leaves {} over", rest.dividend, rest.divisor, rest.left);
      if (inexact.rule == nullptr) {
        say(fmt::format("{}; it is rounded down", value), 2);
      } else {
        say(fmt::format("{}; the framework does not round: {} ({}){}",
                        value,
                        inexact.rule->id,
                        inexact.rule->code,
                        inexact.rejects ? " rejects the launch" : ", an error after the start"),
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

  /// Columns of the widest left half of the tree, so that the sources stand below each other.
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

  /// What stands behind a value of the tree: where a leaf comes from, how a node is computed.
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
  return Text(style).run(trace);
}

}  // namespace epwise::report
