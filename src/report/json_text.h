#pragma once

#include <string>

#include <nlohmann/json.hpp>

/// The door to nlohmann's JSON for everything that epwise prints.
namespace epwise::report {

/// Keys keep the order in which they were added, so that the same report is the same bytes.
using Json = nlohmann::ordered_json;

/// JSON as a person reads it: two spaces a level, a line feed at the end. Text that is no
/// UTF-8 (a file can hold any bytes) has its broken bytes replaced.
///   json_text({{"a", 1}}) → "{\n  \"a\": 1\n}\n"
std::string json_text(const Json& json);

/// The same on one line, without a line feed: rows of a list, answers on a pipe.
///   json_line({{"a", 1}}) → "{\"a\":1}"
std::string json_line(const Json& json);

}  // namespace epwise::report
