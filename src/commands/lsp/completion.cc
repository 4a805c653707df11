#include "commands/lsp/completion.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/spelling.h"
#include "commands/lsp/client.h"
#include "commands/lsp/cursor.h"
#include "lint/knowledge.h"
#include "yaml/literal.h"

namespace epwise::lsp {

/// Texts that rules compare with a field or with the items of its list, unique and sorted:
/// known_words("model.moe_token_dispatcher_type") → {"allgather", "alltoall", "flex"}.
std::vector<std::string> known_words(const lint::Knowledge& knowledge, std::string_view field);

namespace {

using expr::Expression;
using expr::Node;
using expr::Op;

class Search {
 public:
  Search(const Expression& expression, expr::NameSlot field, std::set<std::string>& words)
      : expression_(expression),
        field_(field),
        words_(words) {}

  void run() {
    if (!expression_.empty()) {
      visit(expression_.nodes.back());
    }
  }

 private:
  const Node& child(const Node& node, int number) const {
    const auto at = static_cast<std::size_t>(node.first + number);
    return expression_.nodes[static_cast<std::size_t>(expression_.children[at])];
  }

  /// The field, as written or as executed, or one item of it inside a macro.
  bool is_field(const Node& node) const {
    if (node.op == Op::name) {
      return node.name() == field_;
    }
    if (node.op == Op::local) {
      return std::ranges::find(items_, node.slot) != items_.end();
    }
    return node.op == Op::written && node.count == 1 && is_field(child(node, 0));
  }

  void add(const expr::Value& value) {
    if (const auto* text = value.text()) {
      if (!text->empty()) {
        words_.insert(*text);
      }
    } else if (const auto* list = value.list()) {
      for (const expr::Value& item : *list) {
        add(item);
      }
    }
  }

  void add(const Node& node) {
    if (node.op == Op::literal && node.constant >= 0) {
      add(expression_.constant(node).value);
    }
    for (int i = 0; node.op == Op::list && i < node.count; ++i) {
      add(child(node, i));
    }
  }

  void visit(const Node& node) {
    const bool macro = node.op == Op::exists || node.op == Op::all || node.op == Op::filter;
    const bool compared = node.op == Op::equal || node.op == Op::in;
    if (compared && node.count == 2) {
      if (is_field(child(node, 0))) {
        add(child(node, 1));
      } else if (is_field(child(node, 1))) {
        add(child(node, 0));
      }
    }
    const bool over_field = macro && node.count == 2 && is_field(child(node, 0));
    if (over_field) {
      items_.push_back(node.slot);
    }
    for (int i = 0; i < node.count; ++i) {
      visit(child(node, i));
    }
    if (over_field) {
      items_.pop_back();
    }
  }

  const Expression& expression_;
  expr::NameSlot field_;
  std::set<std::string>& words_;
  std::vector<std::int32_t> items_;  // variables of macros that iterate over the field
};

}  // namespace

std::vector<std::string> known_words(const lint::Knowledge& knowledge, std::string_view field) {
  std::set<std::string> words;
  if (const auto slot = knowledge.names.find(field)) {
    for (const lint::Rule& rule : knowledge.rules) {
      Search(rule.given, *slot, words).run();
      Search(rule.assertion, *slot, words).run();
    }
    for (const facts::Derived& derived : knowledge.derived) {
      Search(derived.expression, *slot, words).run();
    }
  }
  return {words.begin(), words.end()};
}

namespace {

// Item kinds, as numbered in the protocol.
constexpr int kModule = 9;
constexpr int kProperty = 10;
constexpr int kValue = 12;
constexpr int kNearest = 5;

struct Offer {
  std::string label;
  std::string detail;
  std::string text;  // text before the cursor
  int kind = kProperty;
};

std::string type_text(const recipe::FieldSpec& spec) {
  std::string text(expr::to_string(spec.type.kind));
  if (spec.has_default && spec.default_value.is_known()) {
    text += fmt::format(", by default {}", spec.default_value.to_text());
  }
  return text;
}

std::string dotted(const std::vector<std::string>& path) {
  return fmt::format("{}", fmt::join(path, "."));
}

std::string rendered(const std::string& word) {
  return yaml::render(yaml::Literal::of_text(word));
}

std::string folded(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char c) {
    return c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return result;
}

/// The recipe whose document contains the cursor.
const session::Analysis* analysis_at(const LintedDocument& known, std::size_t offset) {
  const session::Analysis* best = known.analyses.empty() ? nullptr : &known.analyses.front();
  for (const session::Analysis& analysis : known.analyses) {
    const bool here = analysis.recipe->root.file == known.file.get();
    best = here && analysis.recipe->root.begin <= offset ? &analysis : best;
  }
  return best;
}

/// The environment variables that can be set in a recipe.
class Offers {
 public:
  Offers(const session::Analysis& analysis, const Cursor& cursor)
      : knowledge_(analysis.knowledge()),
        recipe_(*analysis.recipe),
        vocabulary_(analysis.vocabulary()),
        cursor_(cursor) {}

  std::vector<Offer> all() {
    const bool bridge = recipe_.framework == recipe::Framework::bridge;
    if (cursor_.place == Cursor::Place::value) {
      bridge ? bridge_values() : flag_values();
    } else if (bridge) {
      bridge_keys();
    } else {
      argument_keys();
    }
    return std::move(offers_);
  }

 private:
  void add_key(std::string label, std::string detail, int kind = kProperty) {
    const auto& there = cursor_.siblings;
    if (std::ranges::find(there, label) != there.end()) {
      return;
    }
    const std::string behind = cursor_.has_colon ? "" : kind == kModule ? ":" : ": ";
    std::string text = label + behind;
    offers_.push_back({std::move(label), std::move(detail), std::move(text), kind});
  }

  void add_value(const std::string& word, std::string text, const std::string& detail = {}) {
    const auto known = std::ranges::find(offers_, word, &Offer::label);
    if (known == offers_.end()) {
      offers_.push_back({word, detail, std::move(text), kValue});
    }
  }

  void bridge_keys() {
    const std::string above = dotted(cursor_.path);
    if (above == "env_vars") {
      variables();
      return;
    }
    for (const recipe::FieldSpec& spec : vocabulary_.fields()) {
      const std::string path = recipe_.path_of(spec.name);
      const auto dot = path.rfind('.');
      const auto parent = dot == std::string::npos ? "" : path.substr(0, dot);
      if (parent == above) {
        const bool section = above.empty() && vocabulary_.has_section(spec.name);
        add_key(dot == std::string::npos ? path : path.substr(dot + 1),
                section ? "section" : type_text(spec),
                section ? kModule : kProperty);
      }
    }
  }

  void variables() {
    constexpr std::string_view kPrefix = "env.";
    const auto& names = knowledge_.names;
    std::vector<std::string> all;
    for (const auto slot : names.slots()) {
      if (names.name(slot).starts_with(kPrefix)) {
        all.emplace_back(names.name(slot).substr(kPrefix.size()));
      }
    }
    std::ranges::sort(all);
    for (std::string& name : all) {
      add_key(std::move(name), "a variable read by rules");
    }
  }

  void argument_keys() {
    if (cursor_.path.empty()) {
      for (const char* name : {"MODEL_ARGS", "ENV_VARS"}) {
        add_key(name, "section", kModule);
      }
    } else if (cursor_.path.front() == "ENV_VARS") {
      variables();
    } else if (cursor_.path == std::vector<std::string>{"MODEL_ARGS"}) {
      for (const recipe::Flag& flag : vocabulary_.flags()) {
        for (const std::string_view spelling : flag.spellings) {
          if (spelling.starts_with("--")) {
            add_key(std::string(spelling), flag_text(flag));
          }
        }
      }
    }
  }

  std::string flag_text(const recipe::Flag& flag) const {
    const auto* spec = vocabulary_.find_attribute(flag.attribute);
    const bool plain = flag.action == recipe::Flag::Action::store;
    return plain && spec != nullptr && !spec->inverted ? type_text(*spec)
                                                       : std::string(flag.attribute);
  }

  void flag_values() {
    const auto* flag = cursor_.path.size() == 2 && cursor_.path.front() == "MODEL_ARGS"
                           ? vocabulary_.flag(cursor_.path.back())
                           : nullptr;
    if (flag == nullptr) {
      return;
    }
    using Action = recipe::Flag::Action;
    if (flag->action == Action::store_true || flag->action == Action::store_false) {
      add_value("true", "true", "switches the flag on");
    }
    for (const std::string_view choice : flag->choices) {
      add_value(std::string(choice), rendered(std::string(choice)));
    }
    if (const auto* spec = vocabulary_.find_attribute(flag->attribute)) {
      if (flag->choices.empty() && flag->action == Action::store) {
        add_rule_words(spec->name);
      }
    }
  }

  void add_rule_words(std::string_view name) {
    for (const std::string& word : known_words(knowledge_, name)) {
      add_value(word, rendered(word), "known to the rules");
    }
  }

  void bridge_values() {
    const std::string path = dotted(cursor_.path);
    if (cursor_.path.size() == 2 && cursor_.path.back() == "_target_") {
      for (const std::string_view name : vocabulary_.classes_of(cursor_.path.front())) {
        add_value(std::string(name), std::string(name), "class");
      }
      return;
    }
    for (const recipe::FieldSpec& spec : vocabulary_.fields()) {
      if (recipe_.path_of(spec.name) == path) {
        field_values(spec);
        return;
      }
    }
  }

  void field_values(const recipe::FieldSpec& spec) {
    const auto note = [&spec](const std::string& word) {
      const bool standard =
          spec.has_default && spec.default_value.is_known() && spec.default_value.to_text() == word;
      return standard ? std::string("default") : std::string();
    };
    if (spec.type.kind == expr::Kind::boolean) {
      add_value("true", "true", note("true"));
      add_value("false", "false", note("false"));
    }
    for (const std::string_view choice : spec.choices) {
      add_value(std::string(choice), rendered(std::string(choice)), note(std::string(choice)));
    }
    // rules also name words that only other releases have
    if (spec.type.kind != expr::Kind::boolean && spec.choices.empty()) {
      add_rule_words(spec.name);
    }
    if (spec.type.optional && !offers_.empty()) {
      add_value("null", "null", note("null"));
    }
  }

  const lint::Knowledge& knowledge_;
  const recipe::Recipe& recipe_;
  const recipe::Vocabulary& vocabulary_;
  const Cursor& cursor_;
  std::vector<Offer> offers_;
};

/// If no candidate contains the word, keeps the most similar ones. True in that case.
bool keep_nearest(const std::string& word, std::vector<Offer>& offers) {
  const std::string wanted = folded(word);
  const auto holds = [&wanted](const Offer& offer) {
    return folded(offer.label).find(wanted) != std::string::npos;
  };
  if (word.empty() || std::ranges::any_of(offers, holds)) {
    return false;
  }
  std::vector<std::string_view> labels;
  for (const Offer& offer : offers) {
    labels.push_back(offer.label);
  }
  std::vector<Offer> kept;
  for (const std::string& name : text::nearest(word, labels, kNearest)) {
    kept.push_back(*std::ranges::find(offers, name, &Offer::label));
  }
  offers = std::move(kept);
  return true;
}

}  // namespace

Json completions_at(const text::SourceFile& file,
                    std::size_t offset,
                    const LintedDocument& known,
                    const Client& client) {
  Json items = Json::array();
  const Cursor cursor = cursor_at(file, offset);
  const session::Analysis* analysis = analysis_at(known, offset);
  if (cursor.place == Cursor::Place::nothing || analysis == nullptr) {
    return {{"isIncomplete", false}, {"items", std::move(items)}};
  }
  auto offers = Offers(*analysis, cursor).all();
  const bool meant = keep_nearest(cursor.word, offers);
  const Range range{position_of(file, cursor.begin, client.encoding),
                    position_of(file, cursor.end, client.encoding)};
  for (const Offer& offer : offers) {
    Json item = {{"label", offer.label}, {"kind", offer.kind}};
    if (!offer.detail.empty()) {
      item["detail"] = offer.detail;
    }
    if (meant) {
      // The editor would hide candidates that do not start with the word.
      item["filterText"] = cursor.word;
      item["sortText"] = fmt::format("{:02}", items.size());
    }
    item["textEdit"] = {{"range", json_of(range)}, {"newText", offer.text}};
    items.push_back(std::move(item));
  }
  return {{"isIncomplete", meant}, {"items", std::move(items)}};
}

}  // namespace epwise::lsp
