#pragma once

#include <optional>
#include <string>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/session.h"
#include "lint/knowledge.h"

namespace epwise::cli {

/// --rules DIR, for every command that looks at rules.
Option rules_option();

/// The compiled rules and those of the folder that --rules or a configuration names. Throws
/// world::UsageError when there is no such folder or a rule in it is broken.
lint::Knowledge load_rules(const Session& session, const std::optional<Setting>& folder);

/// By id, code or alias; throws world::UsageError with the nearest names.
const lint::Rule& find_rule(const lint::Knowledge& knowledge, const std::string& name);

/// ", did you mean `overlap/expert-ranks`?" over ids, codes and topics.
std::string nearest_rules(const lint::Knowledge& knowledge, const std::string& name);

}  // namespace epwise::cli
