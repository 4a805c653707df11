#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"
#include "expr/expression.h"
#include "lint/knowledge.h"
#include "lint/rule.h"
#include "yaml/node.h"

namespace epwise::lint {

/// Context for reading a rule file: destinations of names, texts and problems, and the meaning of
/// names.
struct Reading {
  expr::Names& names;
  Texts& texts;
  const expr::Scope& scope;
  std::vector<text::Diagnostic>& problems;

  /// Views of texts, valid as long as `texts`.
  std::vector<std::string_view> kept(std::vector<std::string> all) const;
};

/// Parses and checks the expression in a scalar node. Problems become diagnostics of
/// "rules/invalid" at their location, and the expression is then empty.
expr::Expression read_expression(const yaml::Node& node, expr::Kind wanted, Reading& reading);

/// "{d.TP} ranks do not divide {gpus}" → text and expression parts.
std::vector<MessagePart> read_message(const yaml::Node& node, Reading& reading);

/// `versions:` of a rule, stage or rewrite: {bridge: "0.5.0..", mlm: all}.
std::vector<Range> read_versions(const yaml::Node& node, Reading& reading);

/// A name that can only be resolved after reading all files.
struct NameUse {
  std::string name;
  text::Mark mark;
};

/// A rule file as read.
struct SourceRule {
  Rule rule;
  text::Mark mark;             // of the whole file
  std::vector<NameUse> after;  // ids of rules
};

/// Rule file → rule; every problem with its location. `id` is the path under rules/ without the
/// extension. Checks what a single file can show: required keys, known words, expressions, prose
/// (length, full stops), examples.
SourceRule read_rule(const yaml::Node& root, std::string_view id, Reading& reading);

}  // namespace epwise::lint
