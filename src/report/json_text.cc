#include "report/json_text.h"

#include <nlohmann/json.hpp>

namespace epwise::report {

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace epwise::report
