#include "lint/finding_builder.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lint/renaming.h"
#include "lint/rule.h"
#include "lint/spelling_fixes.h"

namespace epwise::lint {

/// A message with values filled in: {"EP is ", 1, " rank"} → "EP is 1 rank"; empty if one of them
/// cannot be computed or is not known.
std::string fill(const std::vector<MessagePart>& parts, const expr::Environment& facts);

namespace {

std::string at_line(const text::Mark& mark) {
  return mark.file->name() + ":" + std::to_string(mark.start().line);
}

/// The source of a name's value, in a few words.
std::string source_of(std::string_view name, const facts::Facts& facts) {
  const auto mark = place(name, facts);
  if (!mark.nowhere()) {
    return at_line(mark);
  }
  const auto& target = facts.target();
  if (name.starts_with("hw.")) {
    return target.hw_source;
  }
  if (name == "gpus") {
    return target.gpus_source;
  }
  if (name == "purpose") {
    return target.purpose_source;
  }
  if (name.starts_with("stack.")) {
    const auto* component = target.stack.find(name.substr(6));
    return component == nullptr ? "" : component->source;
  }
  if (name.starts_with("env.")) {
    return target.environment.contains(name.substr(4)) ? "--env" : "";
  }
  if (name.starts_with("d.")) {
    return "derived";
  }
  return "default";
}

std::vector<expr::NameSlot> names_read(const Rule& rule) {
  std::set<expr::NameSlot> all;
  for (const auto* expression : {&rule.given, &rule.assertion}) {
    const auto names = expression->names();
    all.insert(names.begin(), names.end());
  }
  return {all.begin(), all.end()};
}

std::string called(expr::NameSlot slot, const facts::Facts& facts) {
  const auto name = facts.names().name(slot);
  return name.starts_with("d.") ? plain_name(name, facts.meaning(slot)) : value_name(name, facts);
}

void add_evidence(Finding& finding, const Rule& rule, const facts::Facts& facts) {
  for (const auto slot : names_read(rule)) {
    const auto name = facts.names().name(slot);
    if (name == "fw" || name == "stage" || name.starts_with("raw.") ||
        name.starts_with("installed.")) {
      continue;
    }
    const auto& value = facts.value(slot);
    if (!value.is_crash()) {
      finding.evidence.push_back({called(slot, facts), value.to_text(), source_of(name, facts)});
    }
  }
}

void add_assumptions(Finding& finding, const Rule& rule, const facts::Facts& facts) {
  for (const auto slot : names_read(rule)) {
    const auto name = facts.names().name(slot);
    if (name.starts_with("env.") && facts.value(slot).is_unset() &&
        !facts.target().environment.contains(name.substr(4)) &&
        !facts.recipe().variables.contains(name.substr(4))) {
      finding.assumed.push_back(std::string(name.substr(4)) + " counts as unset");
    }
    if (name.starts_with("installed.") && facts.target().stack.find(name.substr(10)) == nullptr) {
      finding.assumed.push_back(std::string(name.substr(10)) + " counts as installed");
    }
  }
}

/// Several Bridge fields can be one Megatron-LM flag, which needs one label.
bool is_shown(const Finding& finding, bool placed, const text::Mark& mark) {
  return placed && (finding.primary.mark == mark ||
                    std::ranges::any_of(finding.related, [&](const Location& location) {
                      return location.mark == mark;
                    }));
}

/// The first operand that the user wrote carries the finding; without any, the section of the first
/// one.
void add_locations(Finding& finding, const Rule& rule, const facts::Facts& facts) {
  bool placed = false;
  for (const auto& operand : rule.operands) {
    const auto name = facts.names().name(operand.slot);
    const auto mark = place(name, facts);
    if (mark.nowhere() || is_shown(finding, placed, mark)) {
      continue;
    }
    Location location{mark, pointer(name, facts), std::string(operand.label)};
    if (placed) {
      finding.related.push_back(std::move(location));
    } else {
      finding.primary = std::move(location);
      placed = true;
    }
  }
  if (placed) {
    return;
  }
  const auto& recipe = facts.recipe();
  finding.primary.mark = recipe.root;
  for (const auto& operand : rule.operands) {
    const auto name = facts.names().name(operand.slot);
    const auto section = recipe.sections.find(name.substr(0, name.find('.')));
    if (section != recipe.sections.end()) {
      finding.primary.mark = section->second;
      finding.primary.label = spelling(name, facts) + " is not set here";
      return;
    }
  }
}

/// Describes a letter that looks like a Latin one but is not; empty for any other.
std::string_view look_alike(std::string_view letter) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 18> kLookAlikes = {{
      {"\u0430", "a Cyrillic a"},
      {"\u0435", "a Cyrillic e"},
      {"\u043e", "a Cyrillic o"},
      {"\u0440", "a Cyrillic r"},
      {"\u0441", "a Cyrillic s"},
      {"\u0445", "a Cyrillic kh"},
      {"\u0443", "a Cyrillic u"},
      {"\u0456", "a Cyrillic i"},
      {"\u0455", "a Cyrillic dze"},
      {"\u0458", "a Cyrillic je"},
      {"\u0410", "a Cyrillic A"},
      {"\u0415", "a Cyrillic E"},
      {"\u041e", "a Cyrillic O"},
      {"\u0421", "a Cyrillic S"},
      {"\u0422", "a Cyrillic T"},
      {"\u03bf", "a Greek omicron"},
      {"\u03b1", "a Greek alpha"},
      {"\u03bd", "a Greek nu"},
  }};
  for (const auto& [text, name] : kLookAlikes) {
    if (letter.starts_with(text)) {
      return name;
    }
  }
  return {};
}

/// It is not visible on screen why such a word is not the known one.
void add_look_alike(Finding& finding) {
  const auto& mark = finding.primary.mark;
  if (mark.nowhere()) {
    return;
  }
  const std::string_view text = mark.file->bytes().substr(mark.begin, mark.end - mark.begin);
  int letter = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool starts = (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U;
    letter += starts ? 1 : 0;
    if (const auto name = starts ? look_alike(text.substr(at)) : std::string_view();
        !name.empty()) {
      finding.primary.label = "letter " + std::to_string(letter) + " is " + std::string(name);
      return;
    }
  }
}

/// Fixes for one framework each can result in the same edits in the other.
bool is_offered(const Finding& finding, const Fix& fix) {
  const auto same = [](const Fix::Edit& a, const Fix::Edit& b) {
    return a.field == b.field && a.value == b.value && a.remove == b.remove;
  };
  return !fix.edits.empty() && std::ranges::any_of(finding.fixes, [&](const Fix& other) {
    return std::ranges::equal(other.edits, fix.edits, same);
  });
}

/// Whether the user has written a value that the framework reads as this one: 1 for 1.0 if the
/// field takes any number.
bool stands_already(std::string_view field, const expr::Value& value, const facts::Facts& facts) {
  const auto* spec = facts.vocabulary().find(field);
  const auto slot = facts.names().find(field);
  if (spec == nullptr || !slot || place(field, facts).nowhere()) {
    return false;
  }
  const auto written = facts.written(*slot);
  const auto is_plain = [](const expr::Value& each) {
    return each.is_number() && each.boolean() == nullptr;
  };
  return written == value || (spec->type.kind == expr::Kind::real && is_plain(written) &&
                              is_plain(value) && written.equals(value));
}

/// A rule's fix in the recipe's format; nullopt if it is impossible or changes nothing.
std::optional<Fix> spelled_fix(const RuleFix& source, const facts::Facts& facts) {
  Fix fix{std::string(source.title), source.tier, {}};
  for (const auto& change : source.changes) {
    const bool goes = change.value.empty();
    const auto value = goes ? expr::Value() : expr::evaluate(change.value, facts);
    auto spelled = spell_edit(change.field, goes ? nullptr : &value, facts);
    const bool nothing_to_remove = spelled.edit.remove && spelled.edit.mark.nowhere();
    if ((!spelled.known && !nothing_to_remove) || !value.is_known()) {
      return std::nullopt;
    }
    const bool stands = !goes && stands_already(change.field, value, facts);
    if (!nothing_to_remove && !stands) {
      fix.edits.push_back(std::move(spelled.edit));
    }
  }
  const bool changes_nothing = fix.edits.empty() && !source.changes.empty();
  return changes_nothing ? std::nullopt : std::optional(std::move(fix));
}

void add_fixes(Finding& finding,
               const Rule& rule,
               const facts::Facts& facts,
               const Knowledge& knowledge) {
  finding.fixes = spelling_fixes(rule, facts, knowledge);
  for (const auto& source : rule.prose->fixes) {
    if (!source.when.empty()) {
      const auto when = expr::evaluate(source.when, facts);
      if (!when.is_known() || !when.truthy()) {
        continue;
      }
    }
    auto fix = spelled_fix(source, facts);
    if (fix && !is_offered(finding, *fix)) {
      finding.fixes.push_back(std::move(*fix));
    }
  }
}

/// ": train.global_batch_size 501, train.micro_batch_size 2": what the recipe says, where a message
/// also needs what nothing says; empty if all is known.
std::string known_operands(const Rule& rule, const facts::Facts& facts) {
  std::string text;
  bool open = false;
  for (const auto& operand : rule.operands) {
    const auto& value = facts.value(operand.slot);
    const auto name = facts.names().name(operand.slot);
    open = open || value.is_unknown();
    if (value.is_known() && !value.is_unset() && !place(name, facts).nowhere()) {
      text += (text.empty() ? ": " : ", ") + spelling(name, facts) + " " + value.to_text();
    }
  }
  return open ? text : std::string();
}

}  // namespace

Finding build_finding(const Rule& rule,
                      const facts::Facts& facts,
                      const Knowledge& knowledge,
                      const std::string& crash) {
  Finding finding;
  finding.rule = &rule;
  finding.severity = rule.severity;
  finding.message = fill(rule.prose->message, facts);
  if (finding.message.empty()) {
    finding.message = std::string(rule.what) + known_operands(rule, facts);
  }
  if (!crash.empty()) {
    finding.message += " (the check itself fails: " + crash + ")";
  }
  add_locations(finding, rule, facts);
  add_evidence(finding, rule, facts);
  add_assumptions(finding, rule, facts);
  add_fixes(finding, rule, facts, knowledge);
  add_look_alike(finding);
  return finding;
}

Finding build_finding(const Rule& rule,
                      const text::Diagnostic& diagnostic,
                      const facts::Facts& facts) {
  Finding finding;
  finding.rule = &rule;
  finding.severity = rule.severity;
  finding.message = diagnostic.message;
  finding.primary = {diagnostic.mark, {}, {}};
  for (const auto& label : diagnostic.related) {
    finding.related.push_back({label.mark, {}, label.words});
  }
  finding.fixes = spelling_fixes(diagnostic, facts);
  for (Fix& fix : renamings(diagnostic, facts)) {
    finding.fixes.push_back(std::move(fix));
  }
  if (!diagnostic.help.empty() && finding.fixes.empty()) {
    finding.fixes.push_back({diagnostic.help, Tier::neutral, {}});
  }
  add_look_alike(finding);
  return finding;
}

std::string fill(const std::vector<MessagePart>& parts, const expr::Environment& facts) {
  std::string sentence;
  for (const auto& part : parts) {
    if (part.expression.empty()) {
      sentence += part.text;
      continue;
    }
    const auto value = expr::evaluate(part.expression, facts);
    if (value.is_crash() || value.is_unknown()) {
      return {};
    }
    sentence += value.to_text();
  }
  return sentence;
}

}  // namespace epwise::lint
