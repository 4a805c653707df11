#include "whatif/boundaries.h"

#include <algorithm>
#include <set>

#include "units/version.h"

namespace epwise::whatif {

namespace {

using expr::Expression;
using expr::Node;
using expr::Op;

bool is_comparison(Op op) {
  switch (op) {
    case Op::equal:
    case Op::not_equal:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::in:
      return true;
    default:
      return false;
  }
}

class Search {
 public:
  Search(std::string_view component, const lint::Knowledge& knowledge)
      : component_(component),
        knowledge_(knowledge) {
    slots_.insert(knowledge.names.find("stack." + std::string(component)));
    // A derived value that is the component's version, in one framework at least, carries it on:
    // d.core. One that is only computed from it (the core that a Bridge pins) has other numbers.
    for (std::size_t round = 0, before = 0; before != slots_.size() && round < 8; ++round) {
      before = slots_.size();
      for (const auto& derived : knowledge.derived) {
        if (derived.type.kind == expr::Kind::version && is_one_of_them(derived.expression)) {
          slots_.insert(derived.slot);
        }
      }
    }
  }

  std::vector<std::string> run() {
    for (const auto& rule : knowledge_.rules) {
      visit(rule.given);
      visit(rule.assertion);
      visit(rule.versions);
    }
    for (const auto& derived : knowledge_.derived) {
      visit(derived.expression);
    }
    for (const auto& pipeline : knowledge_.pipelines) {
      for (const auto& stage : pipeline.stages) {
        visit(stage);
      }
    }
    return {found_.begin(), found_.end()};
  }

 private:
  bool reads(const Expression& expression) const {
    const auto names = expression.names();
    return std::ranges::any_of(names, [&](int slot) { return slots_.contains(slot); });
  }

  /// Whether the expression, or a branch of it, is one of the slots itself.
  bool is_one_of_them(const Expression& expression) const {
    return !expression.empty() && gives_slot(expression, expression.nodes.back());
  }

  bool gives_slot(const Expression& expression, const Node& node) const {
    if (node.op == Op::name) {
      return slots_.contains(node.slot);
    }
    if (node.op != Op::conditional) {
      return false;
    }
    bool gives = false;
    for (std::int32_t i = 1; i < node.count; ++i) {  // behind the condition
      const auto child = expression.children[static_cast<std::size_t>(node.first + i)];
      gives = gives || gives_slot(expression, expression.nodes[static_cast<std::size_t>(child)]);
    }
    return gives;
  }

  void visit(const lint::Stage& stage) {
    visit(stage.when);
    visit(stage.versions);
    for (const auto& step : stage.rewrites) {
      visit(step.when);
      visit(step.value);
      visit(step.versions);
    }
  }

  void visit(const std::vector<lint::Range>& ranges) {
    for (const auto& range : ranges) {
      if (range.framework == component_) {
        add(std::string(range.since));
        add(std::string(range.until));
      }
    }
  }

  void visit(const Expression& expression) {
    if (expression.empty() || !reads(expression)) {
      return;
    }
    for (const auto& node : expression.nodes) {
      if (is_comparison(node.op)) {
        compare(expression, node);
      }
    }
  }

  /// A comparison of which one side reads the component: every version in it counts.
  void compare(const Expression& expression, const Node& node) {
    bool reads = false;
    std::vector<std::string> versions;
    descend(expression, node, reads, versions);
    if (reads) {
      std::ranges::for_each(versions, [&](const std::string& version) { add(version); });
    }
  }

  void descend(const Expression& expression,
               const Node& node,
               bool& reads,
               std::vector<std::string>& versions) const {
    if (node.op == Op::name && slots_.contains(node.slot)) {
      reads = true;
    }
    if (node.op == Op::literal && node.constant >= 0) {
      collect(expression.constants[static_cast<std::size_t>(node.constant)], versions);
    }
    for (std::int32_t i = 0; i < node.count; ++i) {
      const auto child = expression.children[static_cast<std::size_t>(node.first + i)];
      descend(expression, expression.nodes[static_cast<std::size_t>(child)], reads, versions);
    }
  }

  static void collect(const expr::Value& value, std::vector<std::string>& versions) {
    if (const auto* version = value.version()) {
      versions.push_back(version->text());
    } else if (const auto* text = value.text()) {
      versions.push_back(*text);
    } else if (const auto* list = value.list()) {
      std::ranges::for_each(*list, [&](const expr::Value& item) { collect(item, versions); });
    }
  }

  void add(const std::string& version) {
    if (units::Version::parse(version)) {
      found_.insert(version);
    }
  }

  std::string_view component_;
  const lint::Knowledge& knowledge_;
  std::set<int> slots_;
  std::set<std::string> found_;
};

}  // namespace

std::vector<std::string> boundaries(std::string_view component, const lint::Knowledge& knowledge) {
  return Search(component, knowledge).run();
}

}  // namespace epwise::whatif
