#include "report/json_number.h"

#include <cstdlib>

#include <fmt/format.h>

namespace epwise::report {

double rounded(double value) {
  return std::strtod(fmt::format("{:.12g}", value).c_str(), nullptr);
}

}  // namespace epwise::report
