#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/os/files.h"
#include "lint/knowledge.h"
#include "session/options/arguments.h"

namespace epwise::session {

/// The compiled rules and those of the folder that --rules or a configuration names. Throws
/// os::UsageError if the folder does not exist or a rule in it is invalid.
lint::Knowledge load_rules(const os::Files& files, const std::optional<Setting>& folder);

/// The compiled rules alone, read once. They stay until the process ends: giving back what a thousand
/// rules hold takes a tenth of a cold lint.
const std::shared_ptr<const lint::Knowledge>& compiled_rules();

/// By id, code or alias; throws os::UsageError with the nearest names.
const lint::Rule& find_rule(const lint::Knowledge& knowledge, const std::string& name);

/// ", did you mean `overlap/expert-ranks`?" over ids, codes and topics.
std::string nearest_rules(const lint::Knowledge& knowledge, const std::string& name);

}  // namespace epwise::session
