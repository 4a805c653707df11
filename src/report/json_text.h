#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace epwise::report {

/// JSON as every command prints it: two spaces a level, a line feed at the end. Text that is no
/// UTF-8 (a file can hold any bytes) has its broken bytes replaced.
///   json_text({{"a", 1}}) → "{\n  \"a\": 1\n}\n"
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace epwise::report
