#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/crash_log.h"
#include "lint/knowledge.h"

namespace epwise::audit {

/// A trouble of rules/tables/troubles.yaml that a log tells of.
struct Recognised {
  const lint::Trouble* trouble = nullptr;
  std::string_view words;               // of the table, that the log holds
  std::vector<std::string_view> hints;  // what further words of it say
};

/// The trouble whose words an error holds, in its name, its message or (hints) its frames; the
/// longest words win. nullopt when none does.
std::optional<Recognised> recognise(const Crash& crash, const lint::Knowledge& knowledge);

/// Lines that hold a trouble's words without the form of an error, as errors that are mentioned:
/// the first line of each trouble, in their order. For logs whose errors nobody knows.
std::vector<Crash> trouble_lines(std::string_view log, const lint::Knowledge& knowledge);

}  // namespace epwise::audit
