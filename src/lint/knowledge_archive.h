#pragma once

#include "data/archive.h"
#include "expr/archive.h"
#include "lint/knowledge.h"

/// How the compiled rule table stores its structs: one function a struct for both directions
/// (data/archive.h).
namespace epwise::lint {

template <class A>
void transfer(A& a, Range& x) {
  a(x.framework, x.since, x.until);
}

template <class A>
void transfer(A& a, Place& x) {
  a(x.framework, x.stage, x.order);
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
void transfer(A& a, Rule& x) {
  a(x.id, x.code, x.aliases, x.severity, x.confidence, x.builtin, x.preview, x.versions, x.places);
  a(x.given, x.assertion, x.given_text, x.assert_text, x.after, x.premises, x.operands);
  a(x.what, x.message, x.why, x.fixes, x.references, x.examples, x.log);
}

template <class A>
void transfer(A& a, RewriteStep& x) {
  a(x.slot, x.section, x.order, x.when, x.value, x.why, x.versions);
}

template <class A>
void transfer(A& a, Stage& x) {
  a(x.name, x.what, x.source, x.when, x.versions, x.repeats, x.rewrites, x.config);
}

template <class A>
void transfer(A& a, Pipeline& x) {
  a(x.framework, x.created, x.stages);
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
  a(x.log, x.says);
}

template <class A>
void transfer(A& a, Trouble& x) {
  a(x.name, x.what, x.log, x.why, x.hints, x.fields, x.rules, x.first, x.from);
}

template <class A>
void transfer(A& a, Tables& x) {
  a(x.releases, x.pins, x.troubles, x.catalogue, x.uncovered, x.plain_names, x.fragments);
}

}  // namespace epwise::lint

namespace epwise::expr {

template <class A>
void transfer(A& a, Type& x) {
  a(x.kind, x.dimension, x.optional);
}

}  // namespace epwise::expr

namespace epwise::model {

template <class A>
void transfer(A& a, Derived& x) {
  a(x.slot, x.name, x.text, x.expression, x.type, x.doc, x.frameworks, x.premises);
}

}  // namespace epwise::model

namespace epwise::lint {

/// Names go first and in the order of their slots, because expressions refer to them by slot.
template <class A>
void transfer(A& a, Knowledge& x) {
  std::vector<std::string_view> names;
  names.reserve(static_cast<std::size_t>(x.names.size()));
  for (int slot = 0; slot < x.names.size(); ++slot) {
    names.push_back(x.names.name(slot));
  }
  a(names);
  for (const auto name : names) {
    x.names.slot(name);
  }
  a(x.derived, x.pipelines, x.containers, x.rules, x.tables);
}

}  // namespace epwise::lint
