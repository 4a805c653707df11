#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "session/host.h"
#include "ui/spool.h"

/// The only user of nlohmann's JSON for everything that epwise prints.

namespace epwise::report {

/// Keys keep their insertion order, so the same report has the same bytes.
using Json = nlohmann::ordered_json;

/// Human-readable JSON: two spaces per level, a line feed at the end. Invalid UTF-8 (a file can
/// contain any bytes) is replaced.
///   json_text({{"a", 1}}) → "{\n  \"a\": 1\n}\n"
std::string json_text(const Json& json);

/// The same on one line, without a line feed: rows of a list, answers on a pipe.
///   json_line({{"a", 1}}) → "{\"a\":1}"
std::string json_line(const Json& json);

/// Adds a list of versions that are newer than every known release, if there are any:
///   "newer_releases": [{"component": "te", "version": "99", "source": "--stack",
///                       "newest_known": "2.20.2", "checked": true}]
void add_newer_releases(const std::vector<session::NewerRelease>& releases, Json& json);

/// A JSON list of any length, one element per line, so that a diff of two reports shows the rows
/// that differ.
///   "[\n{\"a\":1},\n{\"a\":2}\n]"; "[]" without rows
class JsonRows {
 public:
  void add(const Json& row);

  /// The whole list. Throws std::runtime_error like Spool.
  void give(const Out& out) const;

 private:
  Spool rows_;
};

}  // namespace epwise::report
