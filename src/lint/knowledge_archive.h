#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/embedded/archive.h"
#include "expr/archive.h"
#include "lint/knowledge.h"

/// How the compiled rule table stores its structs: one function a struct for both directions
/// (base/embedded/archive.h).
namespace epwise::lint {

template <class A>
void transfer(A& a, Range& x) {
  a(x.framework, x.since, x.until);
}

template <class A>
void transfer(A& a, Place& x) {
  a(x.framework, x.stage, x.order, x.versions);
}

template <class A>
void transfer(A& a, MessagePart& x) {
  a(x.text, x.expression);
}

template <class A>
void transfer(A& a, Change& x) {
  a(x.field, x.text, x.value);
}

template <class A>
void transfer(A& a, RuleFix& x) {
  a(x.title, x.tier, x.when, x.changes);
}

template <class A>
void transfer(A& a, Operand& x) {
  a(x.slot, x.label);
}

template <class A>
void transfer(A& a, Reference& x) {
  a(x.repository, x.path, x.lines, x.commit);
}

template <class A>
void transfer(A& a, Example& x) {
  a(x.verdict, x.arguments, x.recipe);
}

template <class A>
void transfer(A& a, Prose& x) {
  a(x.message, x.fixes, x.references, x.examples, x.log);
}

template <class A>
void transfer(A& a, Rule& x) {
  a(x.id, x.code, x.aliases, x.severity, x.confidence, x.builtin, x.preview, x.versions, x.places);
  a(x.effect, x.moment, x.aside, x.by_tables);
  a(x.given, x.assertion, x.given_text, x.assert_text, x.after, x.premises, x.operands);
  a(x.what, x.why, x.prose);
}

template <class A>
void transfer(A& a, RewriteStep& x) {
  bool field = x.slot.has_value();
  auto slot = x.slot.value_or(expr::NameSlot(0));
  a(field, slot, x.section, x.order, x.when, x.value, x.why, x.versions, x.parses);
  x.slot = field ? std::optional(slot) : std::nullopt;
}

template <class A>
void transfer(A& a, Stage& x) {
  a(x.name, x.what, x.source, x.when, x.versions, x.repeats, x.rewrites, x.config);
}

template <class A>
void transfer(A& a, Pipeline& x) {
  std::vector<std::int32_t> created;
  for (const auto slot : x.created) {
    created.push_back(slot.number());
  }
  a(x.framework, created, x.stages);
  x.created.clear();
  for (const auto number : created) {
    x.created.emplace_back(number);
  }
}

template <class A>
void transfer(A& a, Container& x) {
  a(x.name, x.components, x.source, x.date);
}

template <class A>
void transfer(A& a, ReleaseList& x) {
  a(x.component, x.releases, x.source, x.date);
}

template <class A>
void transfer(A& a, CatalogueGroup& x) {
  a(x.name, x.rows, x.without);
}

template <class A>
void transfer(A& a, Uncovered& x) {
  a(x.id, x.site, x.reason);
}

template <class A>
void transfer(A& a, PlainName& x) {
  a(x.name, x.slot);
}

template <class A>
void transfer(A& a, Sign& x) {
  a(x.log, x.unless, x.name, x.is, x.what);
}

template <class A>
void transfer(A& a, VariableNames& x) {
  a(x.read, x.others);
}

template <class A>
void transfer(A& a, LibraryVariables& x) {
  a(x.library, x.prefixes, x.source, x.date, x.names);
}

template <class A>
void transfer(A& a, SeenAt& x) {
  a(x.version, x.line);
}

template <class A>
void transfer(A& a, Fragment& x) {
  a(x.place, x.symbol, x.start, x.count, x.hash, x.seen, x.message);
}

template <class A>
void transfer(A& a, Pin& x) {
  a(x.bridge, x.core, x.source);
}

template <class A>
void transfer(A& a, TroubleHint& x) {
  a(x.log, x.unless, x.says);
}

template <class A>
void transfer(A& a, Trouble& x) {
  a(x.name,
    x.what,
    x.log,
    x.places,
    x.vague,
    x.why,
    x.hints,
    x.fields,
    x.rules,
    x.first,
    x.if_fragmented,
    x.from);
}

template <class A>
void transfer(A& a, Tables& x) {
  a(x.releases,
    x.pins,
    x.troubles,
    x.catalogue,
    x.uncovered,
    x.plain_names,
    x.signs,
    x.fragments,
    x.variables);
}

}  // namespace epwise::lint

namespace epwise::expr {

template <class A>
void transfer(A& a, Type& x) {
  a(x.kind, x.dimension, x.optional);
}

}  // namespace epwise::expr

namespace epwise::facts {

template <class A>
void transfer(A& a, Derived& x) {
  a(x.slot, x.name, x.text, x.expression, x.type, x.doc, x.frameworks, x.premises);
}

}  // namespace epwise::facts

namespace epwise::lint {

/// Names come first, in slot order, because expressions refer to them by slot.
template <class A>
void transfer(A& a, Knowledge& x) {
  std::vector<std::string_view> names;
  names.reserve(x.names.size());
  for (const auto slot : x.names.slots()) {
    names.push_back(x.names.name(slot));
  }
  a(names);
  if constexpr (std::is_same_v<A, embedded::Reader>) {
    x.names = expr::Names(std::move(names));
  }
  a(x.derived, x.pipelines, x.containers, x.rules, x.tables);
}

/// rules.bin: the number of rules, the literals of all expressions, then everything else.
inline std::string pack(Knowledge& knowledge) {
  expr::ConstantTable literals;
  embedded::Writer body(&literals);
  transfer(body, knowledge);
  auto rules = static_cast<std::uint32_t>(knowledge.rules.size());
  embedded::Writer packed;
  packed(rules, *literals.all);
  packed.aligned(body.bytes());
  return packed.bytes();
}

/// What `pack` wrote; the bytes must outlive it.
inline Knowledge unpack(std::string_view packed) {
  const auto literals = std::make_shared<expr::ConstantTable>();
  std::uint32_t rules = 0;
  std::string_view body;
  embedded::Reader reader(packed);
  reader(rules, *literals->all);
  reader.aligned(body);
  Knowledge knowledge;
  embedded::Reader parts(body, literals.get());
  transfer(parts, knowledge);
  knowledge.literals = literals;
  return knowledge;
}

}  // namespace epwise::lint
