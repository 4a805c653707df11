#include "commands/explain/troubles.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <utility>

#include "commands/explain/crash_log.h"
#include "commands/explain/job_messages.h"
#include "commands/explain/literal_scan.h"

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

namespace {

/// The part of a fragment before its first gap, which leaves the fragment with the gap.
std::string_view next_piece(std::string_view& fragment) {
  constexpr std::string_view kGap = "...";
  const auto gap = std::min(fragment.find(kGap), fragment.size());
  const auto piece = fragment.substr(0, gap);
  fragment.remove_prefix(std::min(gap + kGap.size(), fragment.size()));
  return piece;
}

}  // namespace

std::size_t wording_in(std::string_view plain, std::string_view fragment) {
  std::size_t length = 0;
  while (!fragment.empty()) {
    const auto piece = plain_wording(next_piece(fragment));
    const auto at = plain.find(piece);
    if (at == std::string_view::npos) {
      return 0;
    }
    plain.remove_prefix(at + piece.size());
    length += piece.size();
  }
  return length;
}

namespace {

constexpr std::size_t kLastLines = 2000;
constexpr std::size_t kLongestSpokenLine = 2000;

/// The end of a log, with the number of the line before it.
std::pair<std::string_view, int> last_lines(std::string_view log) {
  std::size_t start = log.size();
  for (std::size_t lines = 0; start > 0 && lines <= kLastLines; ++lines) {
    const auto before = start < 2 ? std::string_view::npos : log.rfind('\n', start - 2);
    start = before == std::string_view::npos ? 0 : before + 1;
  }
  return {log.substr(start), count_lines(log.substr(0, start))};
}

bool is_spoken(std::string_view plain, const lint::Knowledge& knowledge) {
  return std::ranges::any_of(knowledge.rules, [&](const lint::Rule& rule) {
    return std::ranges::any_of(rule.prose->log, [&](std::string_view fragment) {
      return wording_in(plain, fragment) > 0;
    });
  });
}

/// The part of a fragment before, between or after gaps that is easiest to find.
std::string_view longest_piece(std::string_view fragment) {
  std::string_view longest;
  while (!fragment.empty()) {
    const auto piece = next_piece(fragment);
    longest = piece.size() > longest.size() ? piece : longest;
  }
  return longest;
}

}  // namespace

std::vector<Crash> spoken_lines(std::string_view log,
                                const lint::Knowledge& knowledge,
                                std::size_t most) {
  std::vector<std::string_view> pieces;
  for (const lint::Rule& rule : knowledge.rules) {
    for (const std::string_view fragment : rule.prose->log) {
      pieces.push_back(longest_piece(fragment));
    }
  }
  const LiteralScan scan(pieces, LiteralScan::Words::plain);
  const auto [end, lines_before] = last_lines(log);
  std::vector<Crash> crashes;
  FoundLines lines(end, scan);
  for (FoundLines::Line found; crashes.size() < most && lines.next(found);) {
    const auto text = found.text.substr(0, kLongestSpokenLine);
    if (!is_spoken(plain_wording(text), knowledge)) {
      continue;
    }
    const auto line = read_line(text);
    Crash crash;
    crash.kind = Crash::Kind::mentioned;
    crash.message = line.text;
    crash.line = lines_before + found.number;
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
  for (const auto& trouble : *knowledge.tables.troubles) {
    for (const auto words : trouble.log) {
      const auto length = wording_in(plain, words);
      if (length > best.length) {
        best = {&trouble, words, length};
      }
    }
  }
  return best;
}

/// The part of the program in which an error arose: the innermost frame of the traceback that belongs
/// to a part of the table.
Match innermost_part(const Crash& crash, const lint::Knowledge& knowledge) {
  for (auto frame = crash.frames.rbegin(); frame != crash.frames.rend(); ++frame) {
    const auto plain = plain_wording(frame->path + " " + frame->function);
    Match best;
    for (const auto& trouble : *knowledge.tables.troubles) {
      for (const auto place : trouble.places) {
        const auto length = wording_in(plain, place);
        if (length > best.length) {
          best = {&trouble, place, length};
        }
      }
    }
    if (best.trouble != nullptr) {
      return best;
    }
  }
  return {};
}

/// From the last `raise` or `assert` of the source lines on; nothing without one. What Ray raises anew
/// is followed by the name of the error at the other end.
std::string statement_of(std::string_view code) {
  const auto raise = code.rfind("raise ");
  const auto assertion = code.rfind("assert ");
  const auto none = std::string_view::npos;
  const auto start = raise == none       ? assertion
                     : assertion == none ? raise
                                         : std::max(raise, assertion);
  return start == none ? std::string() : plain_wording(code.substr(start));
}

}  // namespace

std::string everything_of(const Crash& crash) {
  std::string text = crash.exception + ": " + crash.message + " " + crash.code;
  for (const auto& frame : crash.frames) {
    text += " " + frame.path + " " + frame.function;
  }
  return plain_wording(text);
}

std::optional<Recognised> recognise(const Crash& crash, const lint::Knowledge& knowledge) {
  // An assertion without a message is known by the line that raised it.
  const auto& message = crash.message.empty() ? crash.code : crash.message;
  const auto said = plain_wording(crash.exception + ": " + message);
  auto match = best_match(said, knowledge);
  const bool cut = crash.kind == Crash::Kind::cut;
  const bool of_nccl = !crash.frames.empty() && crash.frames.back().function == "NCCL WARN";
  const bool by_place =
      cut || (match.trouble == nullptr && (of_nccl || crash.kind == Crash::Kind::raised));
  if (by_place) {
    // The statement that raised shows the words that the missing line would have had.
    match = cut ? best_match(statement_of(crash.code), knowledge) : Match();
    match = match.trouble == nullptr ? innermost_part(crash, knowledge) : match;
  }
  if (match.trouble == nullptr) {
    return std::nullopt;
  }
  Recognised result{match.trouble, match.words, {}};
  result.by_place = by_place;
  result.facts = memory_facts(crash.message);
  result.tight = excludes_fragmentation(crash.message);
  const auto everything = everything_of(crash);
  for (const auto& hint : match.trouble->hints) {
    const auto is_there = [&](std::string_view words) { return wording_in(everything, words) > 0; };
    if (std::ranges::any_of(hint.log, is_there) && std::ranges::none_of(hint.unless, is_there)) {
      result.hints.push_back(hint.says);
    }
  }
  return result;
}

std::vector<Crash> trouble_lines(std::string_view log, const lint::Knowledge& knowledge) {
  std::vector<std::string_view> pieces;
  for (const auto& trouble : *knowledge.tables.troubles) {
    for (const std::string_view words : trouble.log) {
      pieces.push_back(longest_piece(words));
    }
  }
  const LiteralScan scan(pieces, LiteralScan::Words::plain);
  std::vector<Crash> crashes;
  std::set<const lint::Trouble*> seen;
  FoundLines lines(log, scan);
  FoundLines::Line found;
  while (seen.size() < knowledge.tables.troubles->size() && lines.next(found)) {
    const auto text = found.text.substr(0, kLongestTroubleLine);
    const auto match = best_match(plain_wording(text), knowledge);
    if (match.trouble == nullptr || !seen.insert(match.trouble).second) {
      continue;
    }
    const auto line = read_line(text);
    Crash crash;
    crash.message = line.text;
    crash.kind = is_aftermath("", crash.message) ? Crash::Kind::aftermath : Crash::Kind::mentioned;
    crash.line = found.number;
    if (line.rank >= 0) {
      crash.ranks = {line.rank};
    }
    crashes.push_back(std::move(crash));
  }
  return crashes;
}

}  // namespace epwise::audit
