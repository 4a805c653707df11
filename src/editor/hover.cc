#include "editor/hover.h"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "editor/diagnostics.h"
#include "editor/json.h"
#include "report/lint/rule_help.h"
#include "report/why/writer.h"
#include "why/trace.h"

namespace epwise::editor {

namespace {

constexpr int kWidth = 90;
constexpr std::size_t kMostChoices = 20;

/// The place of a caret behind a word belongs to the word.
bool covers(const text::Mark& mark, const text::SourceFile* file, std::size_t offset) {
  return mark.file == file && mark.begin <= offset && offset <= mark.end;
}

/// A block of text in Markdown, whatever stands in it.
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

const recipe::Field* field_at(const Sheet& sheet, const text::SourceFile* file, std::size_t at) {
  for (const auto& [name, field] : sheet.recipe->fields) {
    if (covers(field.key, file, at) || covers(field.mark, file, at)) {
      return &field;
    }
  }
  return nullptr;
}

std::string spec_text(const Sheet& sheet, const recipe::Field& field) {
  const auto* spec = sheet.vocabulary->find(field.name);
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
                     recipe::title(sheet.vocabulary->framework()),
                     sheet.vocabulary->version());
}

std::string field_text(const Reading& reading,
                       const Sheet& sheet,
                       const recipe::Field& field,
                       bool markdown) {
  std::string text = spec_text(sheet, field);
  const why::Tracer tracer(*sheet.recipe, *sheet.vocabulary, sheet.target, *reading.knowledge);
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

Json hover_at(const Reading& reading, std::size_t offset, const Client& client) {
  const auto* file = reading.file.get();
  std::string text;
  text::Mark mark;
  for (const Sheet& sheet : reading.sheets) {
    for (const lint::Finding& finding : sheet.result.findings) {
      const text::Mark place = place_of(reading, sheet, finding.primary.mark);
      if (!finding.consequence && covers(place, file, offset)) {
        const std::string_view rule = client.markdown ? "\n---\n\n" : "\n";
        text += fmt::format("{}{}",
                            text.empty() ? std::string_view() : rule,
                            finding_text(finding, client.markdown));
        mark = place;
      }
    }
  }
  // The value and how it came about stand below what is wrong with it.
  for (const Sheet& sheet : reading.sheets) {
    const auto* field = sheet.recipe->readable ? field_at(sheet, file, offset) : nullptr;
    const std::string story =
        field == nullptr ? "" : field_text(reading, sheet, *field, client.markdown);
    if (!story.empty()) {
      const auto& place = covers(field->key, file, offset) ? field->key : field->mark;
      mark = text.empty() ? place : mark;
      text += text.empty() ? story : (client.markdown ? "\n---\n\n" : "\n") + story;
      break;
    }
  }
  return text.empty() ? Json() : contents(text, mark, client);
}

}  // namespace epwise::editor
