#include "why/division.h"

#include <cstdint>

namespace epwise::why {

namespace {

using expr::Expression;
using expr::Node;
using expr::Op;

class Search {
 public:
  Search(const Expression& expression, std::string_view text, const expr::Environment& facts)
      : expression_(expression),
        text_(text),
        facts_(facts) {}

  std::vector<Remainder> run() {
    if (!expression_.empty()) {
      visit(static_cast<std::int32_t>(expression_.nodes.size()) - 1);
    }
    return std::move(found_);
  }

 private:
  std::int32_t child(const Node& node, std::int32_t number) const {
    return expression_.children[static_cast<std::size_t>(node.first + number)];
  }

  const Node& at(std::int32_t index) const {
    return expression_.nodes[static_cast<std::size_t>(index)];
  }

  /// Children stand in front of their parents, so a front part of the nodes is a tree of its own.
  expr::Value value(std::int32_t index) const {
    Expression part = expression_;
    part.nodes.resize(static_cast<std::size_t>(index) + 1);
    return expr::evaluate(part, facts_);
  }

  std::string words(std::int32_t index) const {
    const auto& node = at(index);
    return std::string(text_.substr(node.begin, node.end - node.begin));
  }

  void visit(std::int32_t index) {
    const auto& node = at(index);
    std::int32_t first = 0;
    std::int32_t end = node.count;
    if (node.op == Op::conditional) {
      const auto condition = value(child(node, 0));
      if (!condition.is_known()) {
        return;
      }
      first = condition.truthy() ? 1 : 2;
      end = first + 1;
    }
    for (std::int32_t i = first; i < end; ++i) {
      visit(child(node, i));
    }
    if (node.op == Op::floor_divide) {
      divide(child(node, 0), child(node, 1));
    }
  }

  void divide(std::int32_t left, std::int32_t right) {
    const auto dividend = value(left);
    const auto divisor = value(right);
    const auto* a = dividend.integer();
    const auto* b = divisor.integer();
    if (a == nullptr || b == nullptr || *b == 0 || *a % *b == 0) {
      return;
    }
    const auto over = (*a % *b + *b) % *b;
    const bool grouped = at(right).count > 1;
    found_.push_back({std::to_string(*a),
                      std::to_string(*b),
                      std::to_string(over),
                      words(left) + " % " + (grouped ? "(" + words(right) + ")" : words(right))});
  }

  const Expression& expression_;
  std::string_view text_;
  const expr::Environment& facts_;
  std::vector<Remainder> found_;
};

}  // namespace

std::vector<Remainder> remainders(const expr::Expression& expression,
                                  std::string_view text,
                                  const expr::Environment& facts) {
  return Search(expression, text, facts).run();
}

}  // namespace epwise::why
