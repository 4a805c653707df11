#include "commands/rules/rule_document.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/ascii.h"
#include "lint/rule.h"
#include "lint/spelling_fixes.h"
#include "recipe/framework.h"
#include "ui/catalogue_json.h"
#include "ui/findings/rule_help.h"
#include "ui/markup.h"

namespace epwise::cli {

namespace {

using Chapter = Page::Chapter;

std::string_view title_of(std::string_view framework) {
  const auto known = recipe::parse_framework(framework);
  return known ? recipe::title(*known) : framework;
}

std::string range_text(const lint::Range& range) {
  const std::string_view title = title_of(range.framework);
  if (range.since.empty() && range.until.empty()) {
    return fmt::format("{}, all versions", title);
  }
  if (range.until.empty()) {
    return fmt::format("{} from {} on", title, range.since);
  }
  if (range.since.empty()) {
    return fmt::format("{} up to {}", title, range.until);
  }
  return fmt::format("{} from {} to {}", title, range.since, range.until);
}

std::string grade(const lint::Rule& rule) {
  std::string text =
      fmt::format("{}, {}", lint::to_string(rule.severity), lint::to_string(rule.confidence));
  if (rule.preview) {
    text += ", preview: never changes the exit code";
  }
  if (!rule.aliases.empty()) {
    text += fmt::format("; also known as {}", fmt::join(rule.aliases, ", "));
  }
  return text;
}

std::string_view meaning_of(std::string_view name, const lint::Knowledge& knowledge) {
  const auto derived = std::ranges::find(knowledge.derived, name, &facts::Derived::name);
  return derived == knowledge.derived.end() ? std::string_view() : derived->doc;
}

/// "d.GBS % (d.MBS * model.x)" → "GBS % (MBS * x)"
std::string without_sections(std::string text) {
  for (const std::string_view section : {"d.", "model."}) {
    for (auto at = text.find(section); at != std::string::npos; at = text.find(section, at)) {
      const bool begins = at == 0 || (!text::is_letter_or_digit(text[at - 1]) &&
                                      text[at - 1] != '_' && text[at - 1] != '.');
      if (begins) {
        text.erase(at, section.size());
      } else {
        at += section.size();
      }
    }
  }
  return text;
}

/// A message for readers: what a finding fills in is in angle brackets, by its common name where it
/// has one; a choice between texts is left open.
///   "{model.num_moe_experts} experts{d.CP > 1 ? \" with CP\" : \"\"}" → "<num_moe_experts> experts…"
std::string spoken_message(const lint::Rule& rule, const lint::Knowledge& knowledge) {
  std::string text;
  for (const lint::MessagePart& part : rule.prose->message) {
    if (part.expression.empty()) {
      text += part.text;
      continue;
    }
    const auto& node = part.expression.nodes.back();
    const auto name = node.op == expr::Op::name ? knowledge.names.name(node.name()) : "";
    const std::string words =
        name.empty()             ? without_sections(expr::to_text(part.expression, knowledge.names))
        : name.starts_with("d.") ? lint::plain_name(name, meaning_of(name, knowledge))
                                 : std::string(name.substr(name.find('.') + 1));
    const bool choice = words.find_first_of("?\"") != std::string::npos;
    text += choice ? "…" : fmt::format("<{}>", words);
  }
  return text;
}

/// The meaning of the derived names in a condition.
void add_meanings(const lint::Rule& rule, const lint::Knowledge& knowledge, Chapter& chapter) {
  std::set<std::string_view> names;
  for (const auto* expression : {&rule.given, &rule.assertion}) {
    for (const auto slot : expression->names()) {
      names.insert(knowledge.names.name(slot));
    }
  }
  for (const auto name : names) {
    const auto meaning = name.starts_with("d.") ? meaning_of(name, knowledge) : "";
    if (!meaning.empty()) {
      chapter.rows.emplace_back(std::string(name), std::string(meaning));
    }
  }
}

Chapter condition_chapter(const lint::Rule& rule, const lint::Knowledge& knowledge) {
  Chapter chapter{"Condition"};
  if (rule.builtin) {
    chapter.paragraphs.push_back(
        "Checked while the recipe is read; there is no expression for it.");
    return chapter;
  }
  if (!rule.given_text.empty()) {
    chapter.rows.emplace_back("when", rule.given_text);
  }
  chapter.rows.emplace_back("must hold", rule.assert_text);
  for (const lint::Place& place : rule.places) {
    chapter.rows.emplace_back("checked by",
                              fmt::format("{} at start-up, stage {}; rejects the launch",
                                          title_of(place.framework),
                                          place.stage));
  }
  add_meanings(rule, knowledge, chapter);
  return chapter;
}

std::string example_text(const lint::Example& example) {
  std::string text = fmt::format("# {}", report::to_string(example.verdict));
  if (!example.arguments.empty()) {
    text += fmt::format(" with {}", example.arguments);
  }
  return fmt::format("{}\n{}{}", text, example.recipe, example.recipe.ends_with('\n') ? "" : "\n");
}

Chapter examples_chapter(const lint::Rule& rule) {
  Chapter chapter{"Examples"};
  for (const lint::Example& example : rule.prose->examples) {
    chapter.code += (chapter.code.empty() ? "" : "\n") + example_text(example);
  }
  return chapter;
}

/// A block scalar's text without its line breaks.
std::string flowing(std::string_view text) {
  std::string result;
  for (const char c : text) {
    result += c == '\n' ? ' ' : c;
  }
  while (result.ends_with(' ')) {
    result.pop_back();
  }
  return result;
}

}  // namespace

std::vector<std::string> version_lines(const lint::Rule& rule) {
  if (rule.versions.empty()) {
    return {"Megatron-Bridge, all versions", "Megatron-LM, all versions"};
  }
  std::vector<std::string> lines;
  for (const lint::Range& range : rule.versions) {
    lines.push_back(range_text(range));
  }
  return lines;
}

std::string fix_line(const lint::RuleFix& fix, const lint::Knowledge& knowledge) {
  std::vector<std::string> changes;
  for (const lint::Change& change : fix.changes) {
    changes.push_back(change.text.empty() ? fmt::format("remove {}", change.field)
                                          : fmt::format("{}: {}", change.field, change.text));
  }
  std::string text(fix.title);
  if (!changes.empty()) {
    text += fmt::format(": {}", fmt::join(changes, ", "));
  }
  text += fmt::format(" ({})", lint::to_string(fix.tier));
  if (!fix.when.empty()) {
    text += fmt::format(", when {}", expr::to_text(fix.when, knowledge.names));
  }
  return text;
}

Page document_of(const lint::Rule& rule, const lint::Knowledge& knowledge) {
  Page document;
  document.title = fmt::format("{} ({})", rule.id, rule.code);
  document.subtitle = grade(rule);
  Chapter what{"What", {std::string(rule.what)}};
  if (!rule.prose->message.empty()) {
    what.paragraphs.push_back(spoken_message(rule, knowledge));
  }
  document.chapters.push_back(std::move(what));
  document.chapters.push_back({"Why", {flowing(rule.why)}});
  document.chapters.push_back(condition_chapter(rule, knowledge));
  document.chapters.push_back({"Versions", {}, version_lines(rule)});
  if (!rule.prose->examples.empty()) {
    document.chapters.push_back(examples_chapter(rule));
  }
  if (!rule.prose->fixes.empty()) {
    Chapter fixes{"Fixes"};
    for (const lint::RuleFix& fix : rule.prose->fixes) {
      fixes.points.push_back(fix_line(fix, knowledge));
    }
    document.chapters.push_back(std::move(fixes));
  }
  if (!rule.prose->references.empty()) {
    Chapter references{"References"};
    for (const lint::Reference& reference : rule.prose->references) {
      references.points.push_back(report::reference_line(reference));
    }
    document.chapters.push_back(std::move(references));
  }
  return document;
}

namespace {

std::string row(const lint::Rule& rule) {
  const auto versions = rule.versions.empty() ? "all" : lint::to_text(rule.versions);
  std::string code(rule.code);
  if (!rule.aliases.empty()) {
    code += fmt::format(" ({})", fmt::join(rule.aliases, ", "));
  }
  return fmt::format("| {} | [{}]({}.yaml) | {}, {} | {} | {} | {} |\n",
                     code,
                     rule.id,
                     rule.id,
                     lint::to_string(rule.severity),
                     lint::to_string(rule.confidence),
                     rule.places.empty() ? "" : "yes",
                     report::table_cell(rule.what),
                     versions);
}

}  // namespace

std::string reference_page(const lint::Knowledge& knowledge) {
  std::string page =
      "# Rules\n"
      "\n"
      "Generated by `epwise rules reference`; a test keeps it up to date. `epwise explain CODE` "
      "describes one rule in full.\n"
      "\"Launch\": the framework itself rejects the recipe at start-up.\n";
  std::string_view topic;
  for (const auto& rule : knowledge.rules) {
    const auto its = rule.id.substr(0, rule.id.find('/'));
    if (its != topic) {
      topic = its;
      page += fmt::format(
          "\n## {}\n\n| code | rule | severity, confidence | launch | what | versions |\n"
          "|---|---|---|---|---|---|\n",
          topic);
    }
    page += row(rule);
  }
  if (!knowledge.tables.uncovered.empty()) {
    page += "\n## Not rules\n\n| row or upstream check | why not |\n|---|---|\n";
    for (const auto& each : knowledge.tables.uncovered) {
      page += fmt::format("| {} | {} |\n",
                          report::table_cell(each.id.empty() ? each.site : each.id),
                          report::table_cell(each.reason));
    }
  }
  return page;
}

}  // namespace epwise::cli
