#include "commands/explain/troubles.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <utility>

#include "commands/explain/crash_log.h"
#include "commands/explain/job_messages.h"

namespace epwise::audit {

std::string plain_wording(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isspace(letter) == 0) {
      plain += static_cast<char>(std::tolower(letter));
    } else if (!plain.empty() && plain.back() != ' ') {
      plain += ' ';
    }
  }
  if (plain.ends_with(' ')) {
    plain.pop_back();
  }
  return plain;
}

std::size_t wording_in(std::string_view plain, std::string_view fragment) {
  constexpr std::string_view kGap = "...";
  std::size_t length = 0;
  while (!fragment.empty()) {
    const auto gap = std::min(fragment.find(kGap), fragment.size());
    const auto piece = plain_wording(fragment.substr(0, gap));
    const auto at = plain.find(piece);
    if (at == std::string_view::npos) {
      return 0;
    }
    plain.remove_prefix(at + piece.size());
    fragment.remove_prefix(std::min(gap + kGap.size(), fragment.size()));
    length += piece.size();
  }
  return length;
}

namespace {

constexpr std::size_t kLastLines = 2000;
constexpr std::size_t kLongestSpokenLine = 2000;

struct Line {
  std::string_view text;
  int number = 0;
};

std::vector<Line> last_lines(std::string_view log) {
  std::vector<Line> lines;
  for (int number = 1; !log.empty(); ++number) {
    const auto end = std::min(log.find('\n'), log.size());
    lines.push_back({log.substr(0, std::min(end, kLongestSpokenLine)), number});
    log.remove_prefix(std::min(end + 1, log.size()));
  }
  const auto count = std::min(lines.size(), kLastLines);
  return {lines.end() - static_cast<std::ptrdiff_t>(count), lines.end()};
}

bool is_spoken(std::string_view plain, const lint::Knowledge& knowledge) {
  return std::ranges::any_of(knowledge.rules, [&](const lint::Rule& rule) {
    return std::ranges::any_of(
        rule.log, [&](std::string_view fragment) { return wording_in(plain, fragment) > 0; });
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

namespace {

constexpr std::size_t kLongestTroubleLine = 600;

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

/// The complete text of an error and its traceback.
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
  result.facts = memory_facts(crash.message);
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
    const auto text = log.substr(0, std::min(end, kLongestTroubleLine));
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
