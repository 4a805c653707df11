#include "ui/findings/rule_help.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "ui/columns.h"

namespace epwise::report {

namespace {

std::string_view behind_last(std::string_view text, char sign) {
  const std::size_t at = text.rfind(sign);
  return at == std::string_view::npos ? text : text.substr(at + 1);
}

/// "63-76" → "#L63-L76"
std::string fragment(std::string_view lines) {
  if (lines.empty()) {
    return {};
  }
  const std::size_t dash = lines.find('-');
  if (dash == std::string_view::npos) {
    return fmt::format("#L{}", lines);
  }
  return fmt::format("#L{}-L{}", lines.substr(0, dash), lines.substr(dash + 1));
}

}  // namespace

std::string uri_of(const lint::Reference& reference) {
  if (reference.repository.empty()) {
    return std::string(reference.path);
  }
  return fmt::format("https://github.com/{}/blob/{}/{}{}",
                     reference.repository,
                     reference.commit.empty() ? "HEAD" : reference.commit,
                     reference.path,
                     fragment(reference.lines));
}

std::string name_of(const lint::Reference& reference) {
  if (reference.repository.empty()) {
    const std::size_t scheme = reference.path.find("://");
    return std::string(scheme == std::string_view::npos ? reference.path
                                                        : reference.path.substr(scheme + 3));
  }
  std::string name(behind_last(reference.repository, '/'));
  if (!reference.commit.empty()) {
    name += fmt::format("@{}", reference.commit);
  }
  name += fmt::format(" {}", behind_last(reference.path, '/'));
  if (!reference.lines.empty()) {
    name += fmt::format(":{}", reference.lines);
  }
  return name;
}

std::string reference_line(const lint::Reference& reference) {
  if (reference.repository.empty()) {
    return std::string(reference.path);
  }
  std::string text(reference.repository);
  if (!reference.commit.empty()) {
    text += fmt::format("@{}", reference.commit);
  }
  text += fmt::format(" {}", reference.path);
  return reference.lines.empty() ? text : fmt::format("{}:{}", text, reference.lines);
}

namespace {

std::string code(std::string_view text) {
  return fmt::format("`{}`", text::trimmed_end(text, " \n"));
}

std::string versions_text(const lint::Range& range) {
  if (range.since.empty() && range.until.empty()) {
    return fmt::format("{}, all versions", range.framework);
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
  std::string text(rule.why.empty() ? rule.what : text::trimmed_end(rule.why, " \n"));
  for (const lint::RuleFix& fix : rule.prose->fixes) {
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
  paragraph(text::trimmed_end(rule.why, " \n"));
  if (!rule.assert_text.empty()) {
    paragraph(rule.given_text.empty() ? fmt::format("Must hold: {}", code(rule.assert_text))
                                      : fmt::format("If {} holds, {} must hold.",
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
  for (const lint::RuleFix& fix : rule.prose->fixes) {
    list += fmt::format("- fix, {}: {}\n", lint::to_string(fix.tier), fix.title);
  }
  for (const lint::Reference& reference : rule.prose->references) {
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
  for (const char c : printable(text, true)) {
    if (c == '<') {
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
