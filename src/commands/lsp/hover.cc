#include "commands/lsp/hover.h"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands/lsp/client.h"
#include "commands/lsp/diagnostics.h"
#include "commands/why/report.h"
#include "commands/why/trace.h"
#include "ui/findings/rule_help.h"

namespace epwise::lsp {

namespace {

constexpr int kWidth = 90;
constexpr std::size_t kMostChoices = 20;

/// A caret after a word belongs to the word.
bool covers(const text::Mark& mark, const text::SourceFile* file, std::size_t offset) {
  return mark.file == file && mark.begin <= offset && offset <= mark.end;
}

/// A block of text in Markdown, whatever it contains.
std::string fenced(const std::string& text) {
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) {
    fence += '`';
  }
  return fmt::format("{}text\n{}{}{}\n", fence, text, text.ends_with('\n') ? "" : "\n", fence);
}

std::string finding_text(const lint::Finding& finding, bool markdown) {
  const std::string tag =
      fmt::format("{}[{}]", lint::to_string(finding.severity), finding.rule->id);
  std::string text = markdown ? fmt::format("**{}** {}\n", tag, report::markdown(finding.message))
                              : fmt::format("{}: {}\n", tag, finding.message);
  std::vector<std::string> values;
  for (const lint::Evidence& evidence : finding.evidence) {
    values.push_back(
        fmt::format("{} {}{}",
                    evidence.name,
                    evidence.value,
                    evidence.origin.empty() ? "" : fmt::format(" ({})", evidence.origin)));
  }
  const auto add = [&](std::string_view key, const std::vector<std::string>& parts) {
    if (!parts.empty()) {
      const std::string line = fmt::format("{}: {}", key, fmt::join(parts, ", "));
      text += fmt::format("\n{}\n", markdown ? report::markdown(line) : line);
    }
  };
  add("Values", values);
  add("Assumed", finding.assumed);
  return text + "\n" +
         (markdown ? report::help_markdown(*finding.rule) : report::help_text(*finding.rule));
}

const recipe::Field* field_at(const session::Analysis& analysis,
                              const text::SourceFile* file,
                              std::size_t at) {
  for (const auto& [name, field] : analysis.recipe->fields) {
    if (covers(field.key, file, at) || covers(field.mark, file, at)) {
      return &field;
    }
  }
  return nullptr;
}

std::string spec_text(const session::Analysis& analysis, const recipe::Field& field) {
  const auto* spec = analysis.vocabulary().find(field.name);
  if (spec == nullptr) {
    return {};
  }
  std::string text(expr::to_string(spec->type.kind));
  if (spec->has_default) {
    text += fmt::format(", by default {}", spec->default_value.to_text());
  }
  if (!spec->choices.empty() && spec->choices.size() <= kMostChoices) {
    text += fmt::format(", one of {}", fmt::join(spec->choices, ", "));
  }
  return fmt::format("{} ({} {})\n",
                     text,
                     recipe::title(analysis.vocabulary().framework()),
                     analysis.vocabulary().version());
}

std::string field_text(const session::Analysis& analysis,
                       const recipe::Field& field,
                       bool markdown) {
  std::string text = spec_text(analysis, field);
  const why::Tracer tracer(
      *analysis.recipe, analysis.vocabulary(), *analysis.target, analysis.knowledge());
  if (const auto key = tracer.resolve(field.name); !key.empty()) {
    const report::Style style{.width = kWidth};
    const std::string story = report::why_text(tracer.trace(key), style);
    text = (markdown ? fenced(story) : story) + (text.empty() ? "" : "\n" + text);
  }
  return text;
}

Json contents(const std::string& text, const text::Mark& mark, const Client& client) {
  return {{"contents", {{"kind", client.markdown ? "markdown" : "plaintext"}, {"value", text}}},
          {"range", json_of(range_of(mark, client.encoding))}};
}

}  // namespace

namespace {

/// What is shown at a place, and the range that it is about.
struct Story {
  std::string text;
  text::Mark mark;
};

Story findings_at(const LintedDocument& reading, std::size_t offset, const Client& client) {
  Story told;
  for (const session::Analysis& analysis : reading.analyses) {
    for (const lint::Finding& finding : analysis.result.findings) {
      const text::Mark place = place_of(reading, analysis, finding.primary.mark);
      if (covers(place, reading.file.get(), offset)) {
        const std::string_view rule = client.markdown ? "\n---\n\n" : "\n";
        told.text += fmt::format("{}{}",
                                 told.text.empty() ? std::string_view() : rule,
                                 finding_text(finding, client.markdown));
        told.mark = place;
      }
    }
  }
  return told;
}

}  // namespace

Json hover_at(const LintedDocument& reading, std::size_t offset, const Client& client) {
  const auto* file = reading.file.get();
  auto [text, mark] = findings_at(reading, offset, client);
  // The value and how it is computed are shown below its findings.
  for (const session::Analysis& analysis : reading.analyses) {
    const auto* field = analysis.recipe->readable ? field_at(analysis, file, offset) : nullptr;
    const std::string story = field == nullptr ? "" : field_text(analysis, *field, client.markdown);
    if (!story.empty()) {
      const auto& place = covers(field->key, file, offset) ? field->key : field->mark;
      mark = text.empty() ? place : mark;
      text += text.empty() ? story : (client.markdown ? "\n---\n\n" : "\n") + story;
      break;
    }
  }
  return text.empty() ? Json() : contents(text, mark, client);
}

namespace {

constexpr std::size_t kLongest = 40;  // maximum length of a value shown inline

std::string short_text(const expr::Value& value) {
  std::string text = value.to_text();
  if (text.size() <= kLongest) {
    return text;
  }
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return text.substr(0, end) + "...";
}

const recipe::Field* field_of(const session::Analysis& analysis, const facts::Rewrite& rewrite) {
  const auto name = analysis.knowledge().names.name(rewrite.slot);
  const auto* spec = analysis.vocabulary().find(name);
  return analysis.recipe->find(spec == nullptr ? name : spec->name);
}

Json hint_of(const recipe::Field& field,
             const facts::Rewrite& rewrite,
             bool named,
             const Client& client) {
  const std::string value = short_text(rewrite.after);
  const Position place = position_of(*field.mark.file, field.mark.end, client.encoding);
  return {{"position", json_of(place)},
          {"label", named ? fmt::format("→ {}: {}", rewrite.field, value) : "→ " + value},
          {"paddingLeft", true},
          {"tooltip",
           fmt::format("{}: {} becomes {} at start-up: {}",
                       rewrite.field,
                       rewrite.before.to_text(),
                       rewrite.after.to_text(),
                       rewrite.why)}};
}

}  // namespace

Json hints_between(const LintedDocument& reading,
                   std::size_t begin,
                   std::size_t end,
                   const Client& client) {
  Json all = Json::array();
  for (const session::Analysis& analysis : reading.analyses) {
    for (const facts::Rewrite& rewrite : analysis.result.effective) {
      const auto* field = field_of(analysis, rewrite);
      const bool here = field != nullptr && field->mark.file == reading.file.get() &&
                        field->mark.end >= begin && field->mark.end <= end;
      if (here) {
        // A flag may be the opposite of the argument that it sets, and an argument become another
        // name of the configuration.
        const bool named = analysis.recipe->framework == recipe::Framework::mlm;
        all.push_back(hint_of(*field, rewrite, named, client));
      }
    }
  }
  return all;
}

}  // namespace epwise::lsp
