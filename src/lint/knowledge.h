#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "expr/names.h"
#include "lint/launch.h"
#include "lint/rule.h"
#include "lint/tables.h"
#include "lint/texts.h"
#include "model/facts.h"
#include "text/diagnostic.h"
#include "world/files.h"

namespace epwise::lint {

/// Versions that one released container or one release of a framework brings: "nemo-25.09" → te,
/// torch, …
struct Container {
  std::string_view name;
  std::vector<std::string_view> components;  // "te=2.8.0", "torch=2.9.0a0"
  std::string_view source;
  std::string_view date;
};

/// Everything that rules/ says, ready to run: names, rules sorted by id, derived values, launch
/// pipelines, containers, and the tables that say what there is besides.
struct Knowledge {
  expr::Names names;
  std::vector<Rule> rules;
  std::vector<model::Derived> derived;
  std::vector<Pipeline> pipelines;
  std::vector<Container> containers;
  Tables tables;
  Texts texts;  // owns the text of rules that were read from files

  /// By id, code or alias; null pointer when there is none.
  const Rule* find(std::string_view id_or_code) const;
};

/// The table that the build compiled. `extra` names a folder of further rules (--rules DIR); a rule
/// with a known id replaces it. Throws world::UsageError listing every problem of the extra rules
/// with file and line.
Knowledge load_knowledge(const world::Files* files = nullptr, const std::string& extra = {});

}  // namespace epwise::lint
