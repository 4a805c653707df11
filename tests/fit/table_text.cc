#include "fit/table_text.h"

#include <sstream>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace epwise::fit {

namespace {

/// `line` with the number behind "name: " replaced.
std::string with_number(std::string line, const std::string& name, double number) {
  for (const std::string& before : {"{" + name + ": ", ", " + name + ": "}) {
    const std::size_t found = line.find(before);
    if (found != std::string::npos) {
      const std::size_t begin = found + before.size();
      const std::size_t end = line.find_first_of(",}", begin);
      return line.replace(begin, end - begin, fmt::format("{:.4g}", number));
    }
  }
  throw std::runtime_error("no value " + name + " in: " + line);
}

}  // namespace

std::string with_values(const std::string& text,
                        const cost::TableEntry& entry,
                        const std::vector<double>& values,
                        double relative_sd,
                        const std::string& rows) {
  const std::string key = fmt::format("  - key: [{}]", fmt::join(entry.key, ", "));
  std::istringstream in(text);
  std::string result;
  bool inside = false;
  for (std::string line; std::getline(in, line); result += line + "\n") {
    if (line.starts_with("  - key: ")) {
      inside = line == key;
    } else if (inside && line.starts_with("    values: {")) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        line = with_number(line, entry.fitted[i], values[i]);
      }
    } else if (inside && line.starts_with("    relative_sd: ")) {
      line = fmt::format("    relative_sd: {:.3f}", relative_sd);
    } else if (inside && line.starts_with("    rows: ")) {
      const std::size_t tail = line.find("; ");  // where the rows lie stays
      line = fmt::format(
          "    rows: \"{}{}", rows, tail == std::string::npos ? "\"" : line.substr(tail));
    }
  }
  return result;
}

}  // namespace epwise::fit
