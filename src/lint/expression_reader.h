#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "expr/expression.h"
#include "lint/rule.h"
#include "lint/texts.h"
#include "text/diagnostic.h"
#include "yaml/node.h"

namespace epwise::lint {

/// What reading a rule file needs: where names, texts and problems go, and what names mean.
struct Reading {
  expr::Names& names;
  Texts& texts;
  const expr::Scope& scope;
  std::vector<text::Diagnostic>& problems;

  /// Views of texts that live as long as `texts`.
  std::vector<std::string_view> kept(std::vector<std::string> all) const;
};

/// Parses and checks the expression in a scalar node. Problems become diagnostics of
/// "rules/invalid" at their place, and the expression is then empty.
expr::Expression read_expression(const yaml::Node& node, expr::Kind wanted, Reading& reading);

/// "{d.TP} ranks do not divide {gpus}" → text and expression parts.
std::vector<MessagePart> read_message(const yaml::Node& node, Reading& reading);

/// `versions:` of a rule, stage or rewrite: {bridge: "0.5.0..", mlm: all}.
std::vector<Range> read_versions(const yaml::Node& node, Reading& reading);

}  // namespace epwise::lint
