#include "ui/findings/finding_text.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lint/renaming.h"
#include "ui/columns.h"
#include "ui/findings/lint_report.h"
#include "ui/findings/rule_help.h"
#include "ui/place.h"
#include "ui/snippet.h"

namespace epwise::report {
namespace {

constexpr std::size_t kShownReferences = 2;
constexpr int kHang = 4;  // additional indentation of continuation lines

std::string headline(const lint::Finding& finding, const Style& style, const Paint& paint) {
  const std::string_view severity = lint::to_string(finding.severity);
  const std::string tag = fmt::format("{}[{}]", severity, finding.rule->id);
  const std::string sentence =
      fmt::format("{}: {}", tag, printable(finding.message, style.unicode));
  std::string out;
  for (const std::string& line : wrap(sentence, std::max(style.width - kHang, 20))) {
    if (out.empty()) {
      out += paint(role_of(finding.severity), tag);
      out += paint(Role::strong, std::string_view(line).substr(std::min(tag.size(), line.size())));
    } else {
      out += std::string(kHang, ' ') + paint(Role::strong, line);
    }
    out += '\n';
  }
  return out;
}

std::vector<SnippetLabel> labels_of(const lint::Finding& finding) {
  std::vector<SnippetLabel> labels;
  labels.push_back({.mark = finding.primary.mark, .words = finding.primary.label, .primary = true});
  for (const lint::Location& related : finding.related) {
    labels.push_back({.mark = related.mark, .words = related.label});
  }
  return labels;
}

/// "recipe.yaml:12" for every line shown in the snippet.
std::set<std::string> shown_lines(const std::vector<SnippetLabel>& labels) {
  std::set<std::string> result;
  for (const SnippetLabel& label : labels) {
    if (!label.mark.nowhere()) {
      result.insert(fmt::format("{}:{}", label.mark.file->name(), label.mark.start().line));
    }
  }
  return result;
}

bool is_target(const lint::Evidence& evidence) {
  const std::string& origin = evidence.origin;
  return origin.rfind("--", 0) == 0 || origin == "this machine" ||
         origin.find(".epwise.yaml") != std::string::npos ||
         origin.find("container ") != std::string::npos;
}

/// A rule predicate or a switch that is off adds nothing to the message.
bool is_glue(const lint::Evidence& evidence) {
  const bool truth = evidence.value == "true" || evidence.value == "false";
  const bool nothing = evidence.value == "null" || evidence.value == "false";
  return evidence.value == "unknown" ||
         (evidence.value == "null" && evidence.origin.empty()) ||  // "assumed" tells
         evidence.origin.starts_with("predicted") ||               // its message includes it
         (evidence.origin == "derived" && (truth || nothing)) ||
         (evidence.origin == "default" && nothing);
}

/// A computed whole number without the ".0" that distinguishes reals from integers.
std::string plain(const lint::Evidence& evidence) {
  const std::string& value = evidence.value;
  const bool whole = evidence.origin == "derived" && value.ends_with(".0") &&
                     value.find_first_not_of("0123456789") == value.size() - 2;
  return whole ? value.substr(0, value.size() - 2) : value;
}

/// "gpus 64 (--gpus), te 2.6.0, torch 2.9.1 (--stack)": values of the target or of the recipe that
/// the snippet does not show.
std::string values(const lint::Finding& finding,
                   bool of_target,
                   const std::set<std::string>& in_snippet,
                   bool everything) {
  std::vector<const lint::Evidence*> chosen;
  for (const lint::Evidence& evidence : finding.evidence) {
    const bool seen = in_snippet.count(evidence.origin) != 0 || is_glue(evidence);
    if (is_target(evidence) == of_target && (everything || !seen)) {
      chosen.push_back(&evidence);
    }
  }
  std::string text;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", chosen[i]->name, plain(*chosen[i]));
    const std::string& origin = chosen[i]->origin;
    const bool last_of_origin = i + 1 == chosen.size() || chosen[i + 1]->origin != origin;
    if (last_of_origin && !origin.empty() && origin != "derived") {
      text += fmt::format(" ({})", origin);
    }
  }
  return text;
}

/// A flag as it is on a command line: "--global-batch-size 24", "--use-distributed-optimizer".
std::string word_text(const lint::Fix::Edit& edit) {
  const std::string old = edit.mark.nowhere() ? std::string() : marked_text(edit.mark);
  const bool unset = edit.value == "null" && edit.target.is_unset();  // no flag takes that word
  if (edit.value.empty() || unset) {
    return fmt::format("drop {}", edit.field);
  }
  if (lint::is_renaming(edit)) {
    return fmt::format("{} instead of {}", edit.value, edit.field);
  }
  std::string value = edit.value;
  if (const auto* items = edit.target.list()) {  // a flag takes them as words
    std::vector<std::string> words(items->size());
    std::ranges::transform(*items, words.begin(), &expr::Value::to_text);
    value = fmt::format("{}", fmt::join(words, " "));
  }
  const std::string word =
      edit.value == "true" ? edit.field : fmt::format("{} {}", edit.field, value);
  return old.empty() ? fmt::format("add {}", word) : fmt::format("{} instead of {}", word, old);
}

std::string edit_text(const lint::Fix::Edit& edit, bool of_words) {
  if (of_words && edit.field.starts_with("--")) {
    return word_text(edit);
  }
  const std::string line =
      edit.mark.nowhere() ? std::string() : fmt::format(" (line {})", edit.mark.start().line);
  if (edit.value.empty()) {
    return fmt::format("remove {}{}", edit.field, line);
  }
  if (lint::is_renaming(edit)) {
    return fmt::format("rename {} → {}{}", edit.field, edit.value, line);
  }
  if (edit.mark.nowhere()) {
    return fmt::format("add {}: {}", edit.field, edit.value);
  }
  const std::string old = marked_text(edit.mark);
  return old.empty() ? fmt::format("{}: {}{}", edit.field, edit.value, line)
                     : fmt::format("{}: {} → {}{}", edit.field, old, edit.value, line);
}

/// A launch as shell words.
bool is_of_words(const LintedFile& file) {
  if (file.recipe == nullptr) {
    return false;
  }
  const auto launcher = file.recipe->raw.find("raw.launcher");
  return file.path == "<command line>" ||
         (launcher != file.recipe->raw.end() && launcher->second.to_text() == "shell");
}

std::string fix_text(const lint::Fix& fix, bool of_words) {
  std::vector<std::string> edits;
  for (const lint::Fix::Edit& edit : fix.edits) {
    if (edit.value.empty() || edit.value != marked_text(edit.mark)) {
      edits.push_back(edit_text(edit, of_words));
    }
  }
  const std::string changes = fmt::format("{}", fmt::join(edits, ", "));
  if (fix.title.empty() || changes.empty()) {
    return fix.title + changes;
  }
  return fmt::format("{}: {}", fix.title, changes);
}

/// Up to the first full stop that ends a sentence.
std::string_view first_sentence(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool stop = text[at] == '.' || text[at] == '!' || text[at] == '?';
    if (!stop) {
      continue;
    }
    const std::size_t next = text.find_first_not_of(" \n", at + 1);
    if (next == std::string_view::npos) {
      return text.substr(0, at);
    }
    const bool blank = next > at + 1;
    if (blank && std::isupper(static_cast<unsigned char>(text[next])) != 0) {
      return text.substr(0, at);
    }
  }
  return text;
}

/// Whether this framework checks it before training; the other one may crash later.
bool is_checked_by(const lint::Rule& rule, const LintedFile& file) {
  return file.recipe == nullptr
             ? !rule.places.empty()
             : std::ranges::any_of(rule.places, [&](const lint::Place& place) {
                 return place.framework == recipe::to_string(file.recipe->framework);
               });
}

std::string_view confidence_text(const lint::Rule& rule, const LintedFile& file) {
  switch (rule.confidence) {
    case lint::Confidence::proven:
      return is_checked_by(rule, file) ? "checked by the framework at start-up" : "proven";
    case lint::Confidence::likely:
      return "likely, from code or reports";
    case lint::Confidence::heuristic:
      break;
  }
  return "a rule of thumb";
}

}  // namespace

std::string note_text(int indent,
                      std::string_view key,
                      std::string_view sentence,
                      const Style& style,
                      const Paint& paint) {
  const std::string blanks(static_cast<std::size_t>(indent), ' ');
  const std::string head = fmt::format("= {}:", key);
  const std::string text = fmt::format("{} {}", head, printable(sentence, style.unicode));
  std::string out;
  for (const std::string& line : wrap(text, std::max(style.width - indent - kHang, 30))) {
    if (out.empty()) {
      out = blanks + paint(Role::frame, "=") +
            paint(Role::strong, std::string_view(head).substr(1)) +
            line.substr(std::min(head.size(), line.size()));
    } else {
      out.append(blanks).append(kHang, ' ').append(line);
    }
    out += '\n';
  }
  return out;
}

namespace {

/// Makes the last word of a reference's name clickable; a word is never split over two lines.
void link_last_word(std::string& note, const lint::Reference& reference, const Paint& paint) {
  const std::string name = name_of(reference);
  const std::string word = name.substr(name.rfind(' ') + 1);
  if (const std::size_t at = note.find(word); at != std::string::npos) {
    note.replace(at, word.size(), paint.link(word, uri_of(reference)));
  }
}

/// The confidence in the rule.
std::string evidence_note(const lint::Rule& rule,
                          const LintedFile& file,
                          int indent,
                          const Style& style,
                          const Paint& paint) {
  if (rule.builtin) {
    return {};
  }
  std::string evidence(confidence_text(rule, file));
  for (std::size_t i = 0; i < std::min(rule.prose->references.size(), kShownReferences); ++i) {
    evidence += fmt::format(", {}", name_of(rule.prose->references[i]));
  }
  if (rule.prose->references.size() > kShownReferences) {
    evidence += fmt::format(" and {} more", rule.prose->references.size() - kShownReferences);
  }
  std::string note = note_text(indent, "evidence", evidence, style, paint);
  for (std::size_t i = 0; i < std::min(rule.prose->references.size(), kShownReferences); ++i) {
    link_last_word(note, rule.prose->references[i], paint);
  }
  return note;
}

}  // namespace

namespace {

/// A note in two lines: what and where, and the first fix.
std::string brief_text(const LintedFile& file,
                       const lint::Finding& finding,
                       const Style& style,
                       const Paint& paint) {
  const Place place = place_of(file, finding.primary.mark);
  lint::Finding placed = finding;
  placed.message += place.positioned ? fmt::format(" ({}:{})", place.path, place.start.line)
                                     : fmt::format(" ({})", place.path);
  std::string out = headline(placed, style, paint);
  if (!finding.fixes.empty()) {
    const lint::Fix& fix = finding.fixes.front();
    const std::string key =
        fix.edits.empty() ? "help" : fmt::format("fix [{}]", lint::to_string(fix.tier));
    out += note_text(4, key, fix_text(fix, is_of_words(file)), style, paint);
  }
  return out;
}

}  // namespace

std::string finding_text(const LintedFile& file,
                         const lint::Finding& finding,
                         bool first,
                         const Style& style,
                         const Paint& paint) {
  if (finding.severity == lint::Severity::note && !style.verbose) {
    return brief_text(file, finding, style, paint);
  }
  const std::vector<SnippetLabel> labels = labels_of(finding);
  const int gutter = gutter_width(labels);
  const int indent = gutter + 1;
  std::string out = headline(finding, style, paint);
  if (finding.primary.mark.nowhere()) {
    const std::string& label = finding.primary.label;
    out += fmt::format("{}{} {}{}\n",
                       std::string(static_cast<std::size_t>(gutter), ' '),
                       paint(Role::frame, "-->"),
                       printable(file_path(file), style.unicode),
                       label.empty() ? "" : fmt::format(" ({})", printable(label, style.unicode)));
  }
  out += render_snippet(labels, gutter, finding.severity, style, paint);
  const auto note = [&](std::string_view key, std::string_view sentence) {
    if (!sentence.empty()) {
      out += note_text(indent, key, sentence, style, paint);
    }
  };
  const std::set<std::string> in_snippet = shown_lines(labels);
  note("target", values(finding, true, in_snippet, style.verbose));
  note("values", values(finding, false, in_snippet, style.verbose));
  note("assumed", fmt::format("{}", fmt::join(finding.assumed, "; ")));
  if (first) {
    note("why", first_sentence(finding.rule->why));
  }
  const bool of_words = is_of_words(file);
  for (const lint::Fix& fix : finding.fixes) {
    // Fixes shown as such are verified; unverifiable advice is shown as help.
    const bool advice = fix.edits.empty();
    note(advice ? "help" : fmt::format("fix [{}]", lint::to_string(fix.tier)),
         fix_text(fix, of_words));
  }
  if (!finding.elsewhere.empty()) {
    note("or", fmt::format("as with {}", fmt::join(finding.elsewhere, ", or with ")));
  }
  if (first) {
    out += evidence_note(*finding.rule, file, indent, style, paint);
    note("see", fmt::format("epwise explain {}", finding.rule->code));
  }
  return out;
}

}  // namespace epwise::report
