#include "commands/whatif/axis.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "base/os/files.h"
#include "base/text/spelling.h"
#include "base/units/version.h"
#include "hw/profile.h"

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
    if (const auto slot = knowledge.names.find("stack." + std::string(component))) {
      slots_.insert(*slot);
    }
    // A derived value that is the component's version, in at least one framework, propagates it:
    // d.core. One that is only computed from it (the core that a Bridge pins) has different
    // numbers.
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
    return std::ranges::any_of(names, [&](expr::NameSlot slot) { return slots_.contains(slot); });
  }

  /// Whether the expression, or a branch of it, is one of the slots itself.
  bool is_one_of_them(const Expression& expression) const {
    return !expression.empty() && gives_slot(expression, expression.nodes.back());
  }

  bool gives_slot(const Expression& expression, const Node& node) const {
    if (node.op == Op::name) {
      return slots_.contains(node.name());
    }
    if (node.op != Op::conditional) {
      return false;
    }
    bool gives = false;
    for (std::int32_t i = 1; i < node.count; ++i) {  // after the condition
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

  /// A comparison with the component on one side: every version in it counts.
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
    if (node.op == Op::name && slots_.contains(node.name())) {
      reads = true;
    }
    if (node.op == Op::literal && node.constant >= 0) {
      collect(expression.constant(node).value, versions);
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
  std::set<expr::NameSlot> slots_;
  std::set<std::string> found_;
};

}  // namespace

std::vector<std::string> boundaries(std::string_view component, const lint::Knowledge& knowledge) {
  return Search(component, knowledge).run();
}

namespace {

using os::UsageError;
using units::Version;

constexpr int kMostGpus = 1 << 24;

struct Ends {
  std::string from;  // empty: open
  std::string to;
};

std::optional<Ends> ends_of(std::string_view text) {
  const auto dots = text.find("..");
  if (dots == std::string_view::npos) {
    return std::nullopt;
  }
  return Ends{std::string(text.substr(0, dots)), std::string(text.substr(dots + 2))};
}

std::vector<std::string> listed(std::string_view text) {
  std::vector<std::string> all;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    if (comma > 0) {
      all.emplace_back(text.substr(0, comma));
    }
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return all;
}

Version version_of(const std::string& text, const Span& span) {
  if (const auto version = Version::parse(text)) {
    return *version;
  }
  throw UsageError(fmt::format("--{} {}: `{}` is not a version; a range has the form 2.6..2.14",
                               span.name,
                               span.text,
                               text));
}

int count_of(const std::string& text, const Span& span) {
  int count = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), count);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() || count < 1 ||
      count > kMostGpus) {
    throw UsageError(fmt::format(
        "--gpus {}: `{}` is not a valid number of GPUs; a range has the form 8..1024, a list 8,16",
        span.text,
        text));
  }
  return count;
}

const lint::ReleaseList* releases_of(const std::string& component,
                                     const lint::Knowledge& knowledge) {
  const auto found =
      std::ranges::find(knowledge.tables.releases, component, &lint::ReleaseList::component);
  return found == knowledge.tables.releases.end() ? nullptr : &*found;
}

bool before(const std::string& a, const std::string& b) {
  return Version::parse(a) < Version::parse(b);
}

/// Ascending, one text for each version (2.7 and 2.7.0 are the same).
void sort_versions(std::vector<std::string>& points) {
  std::ranges::stable_sort(points, before);
  const auto same = [](const std::string& a, const std::string& b) {
    return Version::parse(a) == Version::parse(b);
  };
  points.erase(std::unique(points.begin(), points.end(), same), points.end());
}

std::vector<std::string> versions_in(const Ends& ends,
                                     const Span& span,
                                     const lint::Knowledge& knowledge) {
  if (!ends.from.empty() && !ends.to.empty() &&
      version_of(ends.to, span) < version_of(ends.from, span)) {
    throw UsageError(fmt::format(
        "--{} {}: the range is reversed; write {}..{}", span.name, span.text, ends.to, ends.from));
  }
  std::vector<std::string> all;
  if (const auto* list = releases_of(span.name, knowledge)) {
    all.assign(list->releases.begin(), list->releases.end());
  }
  const auto compared = boundaries(span.name, knowledge);
  all.insert(all.end(), compared.begin(), compared.end());
  const auto outside = [&](const std::string& point) {
    const auto version = Version::parse(point);
    const bool low = !ends.from.empty() && *version < version_of(ends.from, span);
    const bool high = !ends.to.empty() && *version > version_of(ends.to, span) &&
                      !point.starts_with(ends.to + ".");
    return low || high;
  };
  std::erase_if(all, outside);
  sort_versions(all);
  if (all.empty()) {
    throw UsageError(
        fmt::format("--{} {}: there is no known release in this range", span.name, span.text));
  }
  return all;
}

void add_version_points(const Span& span, const lint::Knowledge& knowledge, Axis& axis) {
  if (const auto ends = ends_of(span.text)) {
    axis.points = versions_in(*ends, span, knowledge);
    const auto* list = releases_of(span.name, knowledge);
    axis.taken = list == nullptr ? "versions that a rule compares with"
                                 : fmt::format(
                                       "releases ({}, {}) and versions that a rule "
                                       "compares with",
                                       list->source,
                                       list->date);
    return;
  }
  axis.points = listed(span.text);
  axis.taken = "as listed";
  for (const auto& point : axis.points) {
    version_of(point, span);
  }
  sort_versions(axis.points);
}

void stand_on_version(const facts::Target& target, Axis& axis) {
  const auto* component = target.stack.find(axis.name);
  axis.assumed = component == nullptr || !component->version;
  if (axis.assumed) {
    axis.present = axis.points.size() - 1;
    return;
  }
  const auto& version = *component->version;
  const auto at = std::ranges::find_if(
      axis.points, [&](const std::string& point) { return *Version::parse(point) >= version; });
  axis.present = static_cast<std::size_t>(at - axis.points.begin());
  if (at == axis.points.end() || *Version::parse(*at) != version) {
    axis.points.insert(at, version.text());
  } else {
    *at = version.text();
  }
}

void add_powers(int unit, int from, int to, std::vector<int>& counts) {
  for (long long count = unit; count <= to; count *= 2) {
    if (count >= from) {
      counts.push_back(static_cast<int>(count));
    }
  }
}

/// The assumed number of GPUs if none is given: the smallest that fits the layout, a small run
/// rather than a large one.
int usual_count(const std::vector<int>& counts, int layout) {
  const auto fits = [&](int count) { return layout > 0 && count % layout == 0; };
  const auto smallest = std::ranges::find_if(counts, fits);
  return smallest == counts.end() ? counts.back() : *smallest;
}

void add_gpu_points(const Span& span, const facts::Target& target, int layout, Axis& axis) {
  std::vector<int> counts;
  if (const auto ends = ends_of(span.text)) {
    if (ends->from.empty() || ends->to.empty()) {
      throw UsageError(
          fmt::format("--gpus {}: a range of GPUs needs two ends: 8..1024", span.text));
    }
    const int from = count_of(ends->from, span);
    const int to = count_of(ends->to, span);
    if (from > to) {
      throw UsageError(
          fmt::format("--gpus {}: the range is reversed; write {}..{}", span.text, to, from));
    }
    counts = {from, to};
    add_powers(1, from, to, counts);
    axis.taken = "powers of two and the ends";
    if (layout > 0) {
      add_powers(layout, from, to, counts);
      axis.taken = fmt::format(
          "powers of two, the ends, and the {} ranks of the layout times powers of two", layout);
    }
  } else {
    for (const auto& text : listed(span.text)) {
      counts.push_back(count_of(text, span));
    }
    axis.taken = "as listed";
  }
  axis.assumed = !target.gpus.has_value();
  if (target.gpus) {
    counts.push_back(*target.gpus);
  }
  std::ranges::sort(counts);
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  const auto present = std::ranges::find(counts, target.gpus.value_or(usual_count(counts, layout)));
  axis.present = static_cast<std::size_t>(present - counts.begin());
  for (const int count : counts) {
    axis.points.push_back(std::to_string(count));
  }
}

const hw::Profile& profile_of(const std::string& name) {
  if (const auto* profile = hw::find_profile(name)) {
    return *profile;
  }
  std::vector<std::string_view> names;
  for (const auto& profile : hw::profiles()) {
    names.push_back(profile.name);
    names.insert(names.end(), profile.aliases.begin(), profile.aliases.end());
  }
  throw UsageError(fmt::format("--hw: unknown hardware profile `{}`{} (see `epwise hw list`)",
                               name,
                               text::did_you_mean(name, names)));
}

void add_hardware_points(const Span& span, const facts::Target& target, Axis& axis) {
  for (const auto& name : listed(span.text)) {
    const auto& profile = profile_of(name);
    if (std::ranges::find(axis.points, profile.name) == axis.points.end()) {
      axis.points.push_back(profile.name);
    }
  }
  axis.taken = "as listed";
  axis.assumed = target.hw == nullptr;
  if (target.hw == nullptr) {
    return;
  }
  const auto at = std::ranges::find(axis.points, target.hw->name);
  if (at != axis.points.end()) {
    axis.present = static_cast<std::size_t>(at - axis.points.begin());
  } else {
    axis.points.insert(axis.points.begin(), target.hw->name);
  }
}

/// The Megatron-Core of a container belongs to its Bridge; another Bridge brings its own.
void forget_core_of_container(recipe::Stack& stack) {
  const auto* core = stack.find("mcore");
  if (core == nullptr || !core->source.starts_with("container ")) {
    return;
  }
  recipe::Stack kept;
  for (const auto& [name, component] : stack.components()) {
    if (name != "mcore") {
      kept.set(name,
               component.absent    ? "none"
               : component.version ? component.version->text()
                                   : "installed",
               component.source);
    }
  }
  stack = std::move(kept);
}

}  // namespace

bool is_span(std::string_view text) {
  return text.find("..") != std::string_view::npos || text.find(',') != std::string_view::npos;
}

std::vector<NamedVersion> named_versions(const Span& span) {
  std::vector<NamedVersion> named;
  if (span.name == "hw" || span.name == "gpus") {
    return named;
  }
  if (const auto ends = ends_of(span.text)) {
    for (const std::string& end : {ends->from, ends->to}) {
      if (!end.empty()) {
        named.push_back({end, false});
      }
    }
    return named;
  }
  for (std::string& point : listed(span.text)) {
    named.push_back({std::move(point)});
  }
  return named;
}

Axis make_axis(const Span& span,
               const facts::Target& target,
               const lint::Knowledge& knowledge,
               int layout) {
  Axis axis;
  axis.name = span.name;
  if (span.name == "hw") {
    add_hardware_points(span, target, axis);
  } else if (span.name == "gpus") {
    add_gpu_points(span, target, layout, axis);
  } else {
    add_version_points(span, knowledge, axis);
    if (!axis.points.empty()) {
      stand_on_version(target, axis);
    }
  }
  if (axis.points.empty()) {
    throw UsageError(fmt::format("--{} {}: has no value", span.name, span.text));
  }
  return axis;
}

facts::Target moved(facts::Target target, const Axis& axis, std::size_t point) {
  const std::string& value = axis.points[point];
  const std::string source = "--" + axis.name;
  if (axis.name == "hw") {
    target.hw = hw::find_profile(value);
    target.hw_source = source;
  } else if (axis.name == "gpus") {
    target.gpus = std::stoi(value);
    target.gpus_source = source;
  } else {
    target.stack.set(axis.name, value, source);
    if (axis.name == "bridge") {
      forget_core_of_container(target.stack);
    }
  }
  return target;
}

}  // namespace epwise::whatif
