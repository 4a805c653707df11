#pragma once

#include <string>
#include <vector>

#include "hw/machine.h"
#include "hw/profile.h"
#include "lint/knowledge.h"

namespace epwise::cli {

/// What programs read of the commands that list things: one JSON object each, with `schema` in
/// front; within a schema number fields are only added.

/// {"schema": "epwise.rules/1", "rules": [{"id", "code", "severity", …}]}
std::string rules_json(const std::vector<const lint::Rule*>& rules,
                       const lint::Knowledge& knowledge);

/// {"schema": "epwise.hw/1", "profiles": [{"name", "numbers": {…}}]}
std::string profiles_json(const std::vector<const hw::Profile*>& profiles);

/// {"schema": "epwise.doctor/1", "hw", "gpus", "stack": [{"name", "version", "where"}], "missing"}
std::string machine_json(const hw::Machine& machine);

}  // namespace epwise::cli
