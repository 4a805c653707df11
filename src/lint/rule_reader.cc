#include "lint/rule_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "base/text/ascii.h"
#include "lint/rule.h"
#include "recipe/framework.h"
#include "yaml/reader.h"
#include "yaml/scalar.h"

namespace epwise::lint {

namespace {

/// The part [begin, end) of an expression as a mark; the whole scalar if quoting or folding moved
/// characters.
text::Mark part_of(const text::Mark& scalar,
                   std::string_view text,
                   std::size_t begin,
                   std::size_t end) {
  const auto raw = scalar.file->bytes().substr(scalar.begin, scalar.end - scalar.begin);
  const auto offset = raw.find(text);
  if (offset == std::string_view::npos) {
    return scalar;
  }
  const auto base = scalar.begin + offset;
  return {scalar.file,
          static_cast<std::uint32_t>(base + begin),
          static_cast<std::uint32_t>(base + end)};
}

expr::Expression parse_checked(std::string_view text,
                               const text::Mark& mark,
                               expr::Kind wanted,
                               Reading& reading) {
  auto parsed = expr::parse(text, reading.names);
  auto problems = std::move(parsed.problems);
  if (problems.empty()) {
    problems = expr::check(parsed.expression, reading.names, reading.scope, wanted);
  }
  for (const auto& problem : problems) {
    reading.problems.push_back(
        {"rules/invalid", part_of(mark, text, problem.begin, problem.end), problem.sentence});
  }
  return problems.empty() ? std::move(parsed.expression) : expr::Expression{};
}

}  // namespace

std::vector<std::string_view> Reading::kept(std::vector<std::string> all) const {
  std::vector<std::string_view> views;
  views.reserve(all.size());
  for (std::string& text : all) {
    views.push_back(texts.keep(std::move(text)));
  }
  return views;
}

expr::Expression read_expression(const yaml::Node& node, expr::Kind wanted, Reading& reading) {
  if (!node.is_scalar()) {
    reading.problems.push_back({"rules/invalid", node.mark, "an expression is expected here"});
    return {};
  }
  return parse_checked(node.scalar, node.mark, wanted, reading);
}

std::vector<MessagePart> read_message(const yaml::Node& node, Reading& reading) {
  std::vector<MessagePart> parts;
  if (!node.is_scalar()) {
    reading.problems.push_back({"rules/invalid", node.mark, "a sentence is expected here"});
    return parts;
  }
  const std::string_view text = node.scalar;
  std::size_t at = 0;
  while (at < text.size()) {
    const auto open = text.find('{', at);
    if (open != at) {
      parts.push_back({reading.texts.keep(std::string(text.substr(at, open - at))), {}});
    }
    if (open == std::string_view::npos) {
      break;
    }
    const auto close = text.find('}', open);
    if (close == std::string_view::npos) {
      reading.problems.push_back({"rules/invalid", node.mark, "`{` without `}` in a message"});
      break;
    }
    const auto inner = text.substr(open + 1, close - open - 1);
    parts.push_back({reading.texts.keep(std::string(inner)),
                     parse_checked(inner, node.mark, expr::Kind::any, reading)});
    at = close + 1;
  }
  return parts;
}

std::vector<Range> read_versions(const yaml::Node& node, Reading& reading) {
  std::vector<Range> ranges;
  if (!node.is_mapping()) {
    reading.problems.push_back(
        {"rules/invalid",
         node.mark,
         "versions must be a mapping such as {bridge: all, mlm: \"0.16.1..\"}"});
    return ranges;
  }
  for (const auto& entry : node.entries) {
    const auto framework = recipe::parse_framework(entry.key);
    if (!framework) {
      reading.problems.push_back({"rules/invalid",
                                  entry.key_mark,
                                  "`" + entry.key + "` is not a framework; use bridge or mlm"});
      continue;
    }
    const auto text = reading.texts.keep(entry.value.scalar);
    const auto range = parse_range(recipe::to_string(*framework), text);
    if (!entry.value.is_scalar() || !range) {
      reading.problems.push_back(
          {"rules/invalid",
           entry.value.mark,
           "a version range must be `all`, \"0.5.0..\", \"..0.6.2\" or \"0.5.0..0.6.2\""});
      continue;
    }
    ranges.push_back(*range);
  }
  return ranges;
}

namespace {

constexpr std::size_t kLongestWhat = 70;

template <class T, std::size_t N>
std::optional<T> word(const std::array<T, N>& all, std::string_view text) {
  for (const auto value : all) {
    if (to_string(value) == text) {
      return value;
    }
  }
  return std::nullopt;
}

constexpr std::array kSeverities = {Severity::note, Severity::warning, Severity::error};
constexpr std::array kConfidences = {Confidence::heuristic, Confidence::likely, Confidence::proven};
constexpr std::array kEffects = {Effect::refuse,
                                 Effect::crash,
                                 Effect::hang,
                                 Effect::wrong,
                                 Effect::memory,
                                 Effect::slow,
                                 Effect::style};
constexpr std::array kMoments = {Moment::start,
                                 Moment::capture,
                                 Moment::first_step,
                                 Moment::first_log,
                                 Moment::evaluation,
                                 Moment::checkpoint,
                                 Moment::resume,
                                 Moment::later,
                                 Moment::whole_run};
constexpr std::array kTiers = {Tier::neutral, Tier::performance, Tier::training};

template <class T, std::size_t N>
void read_word(yaml::MapReader& in,
               std::string_view key,
               const std::array<T, N>& all,
               const char* choices,
               T& target,
               const yaml::Node& node) {
  const auto text = in.required_text(key);
  if (text.empty()) {
    return;
  }
  if (const auto value = word(all, text)) {
    target = *value;
  } else {
    const auto* at = node.find(key);
    in.problem(at == nullptr ? node.mark : at->mark, "`" + text + "` is not one of " + choices);
  }
}

/// `effect` and `when`. Without them, a check of the launch rejects it; any other rule is taken by
/// its severity.
void read_effect(const yaml::Node& root, Rule& rule, yaml::MapReader& in) {
  if (!rule.places.empty()) {
    rule.effect = Effect::refuse;
    rule.moment = Moment::start;
  } else if (rule.severity == Severity::error) {
    rule.effect = Effect::crash;
    rule.moment = Moment::first_step;
  } else {
    rule.effect = rule.severity == Severity::warning ? Effect::wrong : Effect::style;
    rule.moment = Moment::whole_run;
  }
  if (root.find("effect") != nullptr || root.find("when") != nullptr) {
    read_word(in,
              "effect",
              kEffects,
              "refuse, crash, hang, wrong, memory, slow, style",
              rule.effect,
              root);
    read_word(in,
              "when",
              kMoments,
              "start, graph capture, first step, first log, evaluation, checkpoint, resume, "
              "later, whole run",
              rule.moment,
              root);
  }
}

/// "comm-overlap@479", "validate-args@1945 ..0.16.1"
std::optional<Place> parse_place(std::string_view framework, std::string_view text) {
  const auto at = text.find('@');
  const auto blank = std::min(text.find(' '), text.size());
  std::optional<Range> versions = Range{};
  if (blank < text.size()) {
    versions = parse_range(framework, text.substr(blank + 1));
    text = text.substr(0, blank);
  }
  if (at == std::string_view::npos || !versions) {
    return std::nullopt;
  }
  Place place{framework, text.substr(0, at), 0, *versions};
  const auto digits = text.substr(at + 1);
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), place.order);
  if (result.ec != std::errc{} || result.ptr != digits.data() + digits.size()) {
    return std::nullopt;
  }
  return place;
}

void read_places(const yaml::Node& node, Rule& rule, yaml::MapReader& in, Reading& reading) {
  for (const auto& entry : node.entries) {
    const auto framework = recipe::parse_framework(entry.key);
    if (!framework) {
      in.problem(entry.key_mark, "`" + entry.key + "` is not a framework; use bridge or mlm");
      continue;
    }
    const auto one = [&](const yaml::Node& item) {
      const auto place =
          parse_place(recipe::to_string(*framework), reading.texts.keep(item.scalar));
      if (place) {
        rule.places.push_back(*place);
      } else {
        in.problem(item.mark,
                   "a place in the launch has the form stage@line, then perhaps releases: "
                   "comm-overlap@479, "
                   "validate-args@1945 ..0.16.1");
      }
    };
    if (entry.value.is_sequence()) {
      std::ranges::for_each(entry.value.items, one);
    } else {
      one(entry.value);
    }
  }
}

std::optional<expr::NameSlot> slot_of(std::string_view name,
                                      const text::Mark& mark,
                                      yaml::MapReader& in,
                                      Reading& reading) {
  if (name.starts_with("env.") || reading.scope.type_of(name)) {
    return reading.names.slot(name);
  }
  in.problem(mark, "`" + std::string(name) + "` is not a name that rules can read");
  return std::nullopt;
}

void read_operands(const yaml::Node& node, Rule& rule, yaml::MapReader& in, Reading& reading) {
  for (const auto& item : node.items) {
    if (item.is_mapping() && item.entries.size() == 1) {
      const auto& entry = item.entries.front();
      if (const auto slot = slot_of(entry.key, entry.key_mark, in, reading)) {
        rule.operands.push_back({*slot, reading.texts.keep(entry.value.scalar)});
      }
    } else if (item.is_scalar()) {
      if (const auto slot = slot_of(item.scalar, item.mark, in, reading)) {
        rule.operands.push_back({*slot, {}});
      }
    } else {
      in.problem(item.mark, "an operand must be a name, or `name: a few words`");
    }
  }
}

/// A YAML value as the literal of the rule language: alltoall → "alltoall", [1, 2] → [1, 2].
std::string literal(const yaml::Node& node) {
  if (node.is_null()) {
    return "null";
  }
  if (node.is_sequence()) {
    std::string all;
    for (const auto& item : node.items) {
      all += (all.empty() ? "" : ", ") + literal(item);
    }
    return "[" + all + "]";
  }
  const auto typed = yaml::type_scalar(node, yaml::Dialect::pyyaml);
  if (typed.type == yaml::ScalarType::text) {
    std::string quoted = "\"";
    for (const char c : node.scalar) {
      if (c == '"' || c == '\\') {
        quoted += '\\';
      }
      quoted += c;
    }
    return quoted + "\"";
  }
  return typed.type == yaml::ScalarType::boolean ? (typed.boolean ? "true" : "false") : node.scalar;
}

Change read_change(const yaml::Entry& entry, Reading& reading) {
  Change change;
  change.field = reading.texts.keep(entry.key);
  auto node = entry.value;
  if (node.is_scalar() && node.scalar.starts_with("=")) {
    node.scalar = node.scalar.substr(1);
  } else {
    node.scalar = literal(node);
    node.kind = yaml::Kind::scalar;
  }
  change.text = reading.texts.keep(node.scalar);
  change.value = read_expression(node, expr::Kind::any, reading);
  return change;
}

RuleFix read_fix(const yaml::Node& node, Reading& reading) {
  RuleFix fix;
  yaml::MapReader in(node, "a fix", reading.problems, "rules/invalid");
  fix.title = reading.texts.keep(in.required_text("title"));
  read_word(in, "tier", kTiers, "neutral, performance, training", fix.tier, node);
  if (const auto* when = in.node("when")) {
    fix.when = read_expression(*when, expr::Kind::boolean, reading);
  }
  if (const auto* set = in.mapping("set")) {
    for (const auto& entry : set->entries) {
      slot_of(entry.key, entry.key_mark, in, reading);
      fix.changes.push_back(read_change(entry, reading));
    }
  }
  for (auto& name : in.texts("unset")) {
    slot_of(name, node.mark, in, reading);
    fix.changes.push_back({reading.texts.keep(std::move(name)), {}, {}});
  }
  in.finish();
  return fix;
}

/// "owner/name@commit path:12-14" or a URL.
std::optional<Reference> parse_reference(std::string_view text) {
  if (text.starts_with("https://")) {
    return Reference{{}, text, {}, {}};
  }
  const auto at = text.find('@');
  const auto blank = text.find(' ');
  const auto colon = text.rfind(':');
  if (at == std::string_view::npos || blank == std::string_view::npos || at > blank) {
    return std::nullopt;
  }
  Reference reference{
      text.substr(0, at), text.substr(blank + 1), {}, text.substr(at + 1, blank - at - 1)};
  if (colon != std::string_view::npos && colon > blank) {
    reference.path = text.substr(blank + 1, colon - blank - 1);
    reference.lines = text.substr(colon + 1);
  }
  return reference;
}

void read_references(const yaml::Node& node, Rule& rule, yaml::MapReader& in, Reading& reading) {
  for (const auto& item : node.items) {
    if (const auto reference = parse_reference(reading.texts.keep(item.scalar))) {
      rule.prose.edit().references.push_back(*reference);
    } else {
      in.problem(item.mark,
                 "a reference must be `owner/name@commit path:lines` or an https address");
    }
  }
}

Example read_example(const yaml::Node& node, Reading& reading) {
  Example example;
  yaml::MapReader in(node, "an example", reading.problems, "rules/invalid");
  const std::array<std::pair<std::string_view, Example::Verdict>, 3> kinds = {
      {{"fails", Example::Verdict::fails},
       {"passes", Example::Verdict::passes},
       {"open", Example::Verdict::open}}};
  int given = 0;
  for (const auto& kind : kinds) {
    if (auto recipe = in.text(kind.first)) {
      example.verdict = kind.second;
      example.recipe = reading.texts.keep(std::move(*recipe));
      ++given;
    }
  }
  if (given != 1) {
    in.problem(node.mark, "an example has one recipe under `fails`, `passes` or `open`");
  }
  example.arguments = reading.texts.keep(in.text("with").value_or(""));
  in.finish();
  return example;
}

void check_prose(const yaml::Node& root, const Rule& rule, yaml::MapReader& in) {
  if (rule.what.size() > kLongestWhat || rule.what.ends_with('.')) {
    const yaml::Node* what = root.find("what");
    in.problem(what == nullptr ? root.mark : what->mark,
               "`what` must name the defect in at most 70 characters, without a full stop");
  }
  if (!rule.why.empty() && rule.why.find_last_not_of(" \n") != std::string_view::npos &&
      rule.why[rule.why.find_last_not_of(" \n")] != '.') {
    in.problem(root.find("why")->mark, "`why` must end with a full stop");
  }
  const auto has = [&](Example::Verdict verdict) {
    return std::ranges::any_of(rule.prose->examples,
                               [&](const Example& e) { return e.verdict == verdict; });
  };
  if (!rule.builtin && (!has(Example::Verdict::fails) || !has(Example::Verdict::passes))) {
    in.problem(root.mark, "a rule needs at least one example that fails and one that passes");
  }
}

/// Upstream's messages are copyrighted; a few words suffice to find them.
void check_log(const yaml::Node& root, const Rule& rule, yaml::MapReader& in) {
  constexpr std::size_t kLongestFragment = 60;
  for (const auto words : rule.prose->log) {
    if (words.size() < 4 || words.size() > kLongestFragment) {
      in.problem(root.find("log")->mark,
                 "`log` lists fragments of 4 to 60 characters: a name or a few words of a message");
    }
  }
}

void read_condition(const yaml::Node& root, Rule& rule, yaml::MapReader& in, Reading& reading) {
  if (const auto* given = in.node("given")) {
    rule.given_text = reading.texts.keep(given->scalar);
    rule.given = read_expression(*given, expr::Kind::boolean, reading);
  }
  const auto* assertion = in.node("assert");
  if (assertion != nullptr) {
    rule.assert_text = reading.texts.keep(assertion->scalar);
    rule.assertion = read_expression(*assertion, expr::Kind::boolean, reading);
  }
  if ((assertion == nullptr) != rule.builtin) {
    in.problem(root.mark,
               rule.builtin ? "a builtin rule must not have `assert`" : "`assert` is missing");
  }
  if (const auto* message = in.node("message")) {
    rule.prose.edit().message = read_message(*message, reading);
  } else if (!rule.builtin) {
    in.problem(root.mark, "`message` is missing");
  }
}

}  // namespace

namespace {

/// Schemas promise letters of a group and three digits; our own groups have three letters.
bool is_code(std::string_view code) {
  constexpr std::size_t kFewestLetters = 3;
  constexpr std::size_t kMostLetters = 8;
  constexpr std::size_t kDigits = 3;
  const auto letters = static_cast<std::size_t>(
      std::ranges::find_if_not(code, [](char c) { return c >= 'A' && c <= 'Z'; }) - code.begin());
  return letters >= kFewestLetters && letters <= kMostLetters && code.size() == letters + kDigits &&
         std::ranges::all_of(code.substr(letters), text::is_digit);
}

}  // namespace

SourceRule read_rule(const yaml::Node& root, std::string_view id, Reading& reading) {
  SourceRule source;
  source.mark = root.mark;
  auto& rule = source.rule;
  auto& texts = reading.texts;
  yaml::MapReader in(root, "a rule", reading.problems, "rules/invalid");
  rule.id = texts.keep(std::string(id));
  rule.code = texts.keep(in.required_text("code"));
  if (const auto* code = in.node("code"); code != nullptr && !is_code(rule.code)) {
    in.problem(code->mark, "a code has three to eight capital letters and three digits: TEAM001");
  }
  rule.aliases = reading.kept(in.texts("aliases"));
  read_word(in, "severity", kSeverities, "error, warning, note", rule.severity, root);
  read_word(in, "confidence", kConfidences, "proven, likely, heuristic", rule.confidence, root);
  rule.builtin = in.boolean("builtin").value_or(false);
  rule.aside = in.boolean("aside").value_or(false);
  rule.preview = in.boolean("preview").value_or(false);
  rule.by_tables = in.boolean("by_tables").value_or(false);
  if (const auto* versions = in.node("versions")) {
    rule.versions = read_versions(*versions, reading);
  }
  if (const auto* places = in.mapping("launch")) {
    read_places(*places, rule, in, reading);
  }
  read_effect(root, rule, in);
  read_condition(root, rule, in, reading);
  if (const auto* after = in.node("after")) {
    for (const auto& item : after->items) {
      source.after.push_back({item.scalar, item.mark});
    }
  }
  if (const auto* operands = in.sequence("operands")) {
    read_operands(*operands, rule, in, reading);
  }
  rule.what = texts.keep(in.required_text("what"));
  rule.why = texts.keep(in.required_text("why"));
  if (const auto* fixes = in.sequence("fixes")) {
    for (const auto& fix : fixes->items) {
      rule.prose.edit().fixes.push_back(read_fix(fix, reading));
    }
  }
  if (const auto* references = in.sequence("references")) {
    read_references(*references, rule, in, reading);
  }
  if (const auto* examples = in.sequence("examples")) {
    for (const auto& example : examples->items) {
      rule.prose.edit().examples.push_back(read_example(example, reading));
    }
  }
  for (auto& words : in.texts("log")) {
    rule.prose.edit().log.push_back(texts.keep(std::move(words)));
  }
  in.finish();
  check_prose(root, rule, in);
  check_log(root, rule, in);
  return source;
}

}  // namespace epwise::lint
