#pragma once

#include "lint/compiler.h"
#include "lint/knowledge.h"
#include "lint/rule_reader.h"
#include "yaml/node.h"

namespace epwise::lint {

/// Names and types under `creates:` go into the scope before any expression is read.
void declare_created(const yaml::Node& root,
                     NameScope& scope,
                     std::vector<text::Diagnostic>& problems);

/// rules/launch/<framework>.yaml → stages. A step of `rewrites` is one of
///   {at: 80, set: model.x, when: …, to: …, why: …}        one field
///   {at: 80, section: comm_overlap, to: "true", why: …}   a section is created or removed
///   {at: 80, copy: mixed_precision, into: [model, ddp], when: …, unless_null: true, except: [x],
///    why: …}                                              every field that the sections share
///   {at: 80, preset: mixed_precision, names: {bf16_mixed: {bf16: true}, …}}
///                                                         a name that represents a section
/// Copies and presets become single-field rewrites here.
/// `creates:` lists values that no flag or key sets ({mlm.data_parallel_size: int}).
Pipeline read_pipeline(const yaml::Node& root, const NameScope& names, Reading& reading);

}  // namespace epwise::lint
