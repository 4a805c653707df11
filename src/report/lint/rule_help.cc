#include "report/lint/rule_help.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/rules/reference.h"

namespace epwise::report {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \n");
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end + 1);
}

std::string code(std::string_view text) {
  return fmt::format("`{}`", trimmed(text));
}

std::string versions_text(const lint::Range& range) {
  if (range.since.empty() && range.until.empty()) {
    return fmt::format("{}, every version", range.framework);
  }
  if (range.until.empty()) {
    return fmt::format("{} from {}", range.framework, range.since);
  }
  if (range.since.empty()) {
    return fmt::format("{} up to {}", range.framework, range.until);
  }
  return fmt::format("{} {} to {}", range.framework, range.since, range.until);
}

}  // namespace

std::string help_text(const lint::Rule& rule) {
  std::string text(rule.why.empty() ? rule.what : trimmed(rule.why));
  for (const lint::RuleFix& fix : rule.fixes) {
    text += fmt::format("\nFix ({}): {}", lint::to_string(fix.tier), fix.title);
  }
  return text + fmt::format("\nMore: epwise explain {}", rule.code);
}

std::string help_markdown(const lint::Rule& rule) {
  std::string text = fmt::format("**{}** ({})\n", rule.what, rule.code);
  const auto paragraph = [&](std::string_view part) {
    if (!part.empty()) {
      text += fmt::format("\n{}\n", part);
    }
  };
  paragraph(trimmed(rule.why));
  if (!rule.assert_text.empty()) {
    paragraph(rule.given_text.empty() ? fmt::format("Must hold: {}", code(rule.assert_text))
                                      : fmt::format("Where {} holds, {} must hold.",
                                                    code(rule.given_text),
                                                    code(rule.assert_text)));
  }
  std::vector<std::string> versions;
  for (const lint::Range& range : rule.versions) {
    versions.push_back(versions_text(range));
  }
  if (!versions.empty()) {
    paragraph(fmt::format("Versions: {}.", fmt::join(versions, "; ")));
  }
  std::string list;
  for (const lint::RuleFix& fix : rule.fixes) {
    list += fmt::format("- fix, {}: {}\n", lint::to_string(fix.tier), fix.title);
  }
  for (const lint::Reference& reference : rule.references) {
    list += fmt::format("- [{}]({})\n", name_of(reference), uri_of(reference));
  }
  list += fmt::format("- `epwise explain {}`", rule.code);
  paragraph(list);
  return text;
}

std::vector<std::string> tags_of(const lint::Rule& rule) {
  std::vector<std::string> tags{std::string(rule.id.substr(0, rule.id.find('/')))};
  const auto add = [&](std::string_view tag) {
    if (std::find(tags.begin(), tags.end(), tag) == tags.end()) {
      tags.emplace_back(tag);
    }
  };
  for (const lint::Range& range : rule.versions) {
    add(range.framework == "bridge" ? "megatron-bridge" : "megatron-lm");
  }
  if (!rule.places.empty()) {
    add("launch");
  }
  if (rule.preview) {
    add("preview");
  }
  add(lint::to_string(rule.confidence));
  return tags;
}

std::string_view precision_of(const lint::Rule& rule) {
  switch (rule.confidence) {
    case lint::Confidence::proven:
      return "very-high";
    case lint::Confidence::likely:
      return "high";
    case lint::Confidence::heuristic:
      break;
  }
  return "medium";
}

std::string markdown(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n' || c == '\r' || c == '\t') {
      result += ' ';
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '&') {
      result += "&amp;";
    } else {
      if (std::string_view("\\`*_[]|~#").find(c) != std::string_view::npos) {
        result += '\\';
      }
      result += c;
    }
  }
  return result;
}

}  // namespace epwise::report
