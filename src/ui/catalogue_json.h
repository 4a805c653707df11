#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hw/machine.h"
#include "hw/profile.h"
#include "lint/knowledge.h"

/// JSON output of the commands that list things: one object each, with `schema` first; within a
/// schema version, fields are only added.
namespace epwise::report {

/// {"schema": "epwise.rules/1", "rules": [{"id", "code", "severity", …}]}
std::string rules_json(const std::vector<const lint::Rule*>& rules,
                       const lint::Knowledge& knowledge);

/// {"schema": "epwise.hw/1", "profiles": [{"name", "numbers": {…}}]}
std::string profiles_json(const std::vector<const hw::Profile*>& profiles);

/// {"schema": "epwise.doctor/1", "hw", "gpus", "stack": [{"name", "version", "where"}], "missing"}
std::string machine_json(const hw::Machine& machine);

/// "fails", "passes", "undecided".
std::string_view to_string(lint::Example::Verdict verdict);

}  // namespace epwise::report
