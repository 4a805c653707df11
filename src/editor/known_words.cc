#include "editor/known_words.h"

#include <algorithm>
#include <set>

namespace epwise::editor {

namespace {

using expr::Expression;
using expr::Node;
using expr::Op;

class Search {
 public:
  Search(const Expression& expression, int field, std::set<std::string>& words)
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
      return node.slot == field_;
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
      add(expression_.constants[static_cast<std::size_t>(node.constant)]);
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
  int field_;
  std::set<std::string>& words_;
  std::vector<std::int32_t> items_;  // variables of macros that run over the field
};

}  // namespace

std::vector<std::string> known_words(const lint::Knowledge& knowledge, std::string_view field) {
  std::set<std::string> words;
  const int slot = knowledge.names.find(field);
  if (slot >= 0) {
    for (const lint::Rule& rule : knowledge.rules) {
      Search(rule.given, slot, words).run();
      Search(rule.assertion, slot, words).run();
    }
    for (const model::Derived& derived : knowledge.derived) {
      Search(derived.expression, slot, words).run();
    }
  }
  return {words.begin(), words.end()};
}

}  // namespace epwise::editor
