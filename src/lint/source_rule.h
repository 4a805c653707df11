#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lint/expression_reader.h"
#include "lint/rule.h"
#include "text/mark.h"
#include "yaml/node.h"

namespace epwise::lint {

/// A name that can only be resolved once every file is read.
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

/// Rule file → rule; every problem with its place. `id` is the path under rules/ without the
/// ending. Checks what one file can show: required keys, known words, expressions, prose (length,
/// full stops), examples.
SourceRule read_rule(const yaml::Node& root, std::string_view id, Reading& reading);

}  // namespace epwise::lint
