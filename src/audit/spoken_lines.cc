#include "audit/spoken_lines.h"

#include <algorithm>
#include <string>
#include <utility>

#include "audit/log_line.h"
#include "audit/wording.h"

namespace epwise::audit {

namespace {

constexpr std::size_t kLastLines = 2000;
constexpr std::size_t kLongestLine = 2000;

struct Line {
  std::string_view text;
  int number = 0;
};

std::vector<Line> last_lines(std::string_view log) {
  std::vector<Line> lines;
  for (int number = 1; !log.empty(); ++number) {
    const auto end = std::min(log.find('\n'), log.size());
    lines.push_back({log.substr(0, std::min(end, kLongestLine)), number});
    log.remove_prefix(std::min(end + 1, log.size()));
  }
  const auto count = std::min(lines.size(), kLastLines);
  return {lines.end() - static_cast<std::ptrdiff_t>(count), lines.end()};
}

bool is_spoken(std::string_view plain, const lint::Knowledge& knowledge) {
  return std::ranges::any_of(knowledge.rules, [&](const lint::Rule& rule) {
    return !rule.places.empty() && std::ranges::any_of(rule.log, [&](std::string_view fragment) {
      return wording_in(plain, fragment) > 0;
    });
  });
}

}  // namespace

std::vector<Crash> spoken_lines(std::string_view log,
                                const lint::Knowledge& knowledge,
                                std::size_t most) {
  std::vector<Crash> crashes;
  for (const auto& [text, number] : last_lines(log)) {
    if (crashes.size() == most || !is_spoken(plain_wording(text), knowledge)) {
      continue;
    }
    const auto line = read_line(text);
    Crash crash;
    crash.kind = Crash::Kind::mentioned;
    crash.message = line.text;
    crash.line = number;
    crashes.push_back(std::move(crash));
  }
  return crashes;
}

}  // namespace epwise::audit
