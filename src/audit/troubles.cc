#include "audit/troubles.h"

#include <algorithm>
#include <set>
#include <utility>

#include "audit/error_line.h"
#include "audit/log_line.h"
#include "audit/wording.h"

namespace epwise::audit {

namespace {

constexpr std::size_t kLongestLine = 600;

struct Match {
  const lint::Trouble* trouble = nullptr;
  std::string_view words;
  std::size_t length = 0;
};

Match best_match(std::string_view plain, const lint::Knowledge& knowledge) {
  Match best;
  for (const auto& trouble : knowledge.tables.troubles) {
    for (const auto words : trouble.log) {
      const auto length = wording_in(plain, words);
      if (length > best.length) {
        best = {&trouble, words, length};
      }
    }
  }
  return best;
}

/// Everything that an error and its traceback say.
std::string all_of(const Crash& crash) {
  std::string text = crash.exception + ": " + crash.message + " " + crash.code;
  for (const auto& frame : crash.frames) {
    text += " " + frame.path + " " + frame.function;
  }
  return plain_wording(text);
}

}  // namespace

std::optional<Recognised> recognise(const Crash& crash, const lint::Knowledge& knowledge) {
  const auto said = plain_wording(crash.exception + ": " + crash.message);
  const auto match = best_match(said, knowledge);
  if (match.trouble == nullptr) {
    return std::nullopt;
  }
  Recognised result{match.trouble, match.words, {}};
  const auto everything = all_of(crash);
  for (const auto& hint : match.trouble->hints) {
    const bool fits = std::ranges::any_of(
        hint.log, [&](std::string_view words) { return wording_in(everything, words) > 0; });
    if (fits) {
      result.hints.push_back(hint.says);
    }
  }
  return result;
}

std::vector<Crash> trouble_lines(std::string_view log, const lint::Knowledge& knowledge) {
  std::vector<Crash> crashes;
  std::set<const lint::Trouble*> seen;
  for (int number = 1; !log.empty() && seen.size() < knowledge.tables.troubles.size(); ++number) {
    const auto end = std::min(log.find('\n'), log.size());
    const auto text = log.substr(0, std::min(end, kLongestLine));
    log.remove_prefix(std::min(end + 1, log.size()));
    const auto match = best_match(plain_wording(text), knowledge);
    if (match.trouble == nullptr || !seen.insert(match.trouble).second) {
      continue;
    }
    const auto line = read_line(text);
    Crash crash;
    crash.message = line.text;
    crash.kind = is_aftermath("", crash.message) ? Crash::Kind::aftermath : Crash::Kind::mentioned;
    crash.line = number;
    if (line.rank >= 0) {
      crash.ranks = {line.rank};
    }
    crashes.push_back(std::move(crash));
  }
  return crashes;
}

}  // namespace epwise::audit
