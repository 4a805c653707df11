#include "recipe/arguments/stray_words.h"

#include <utility>

#include <fmt/format.h>

#include "text/spelling.h"

namespace epwise::recipe {
namespace {

// A look-up reads all spellings: enough of them for people, bounded for a file full of wrong words.
constexpr std::size_t kSuggestions = 20;
constexpr std::size_t kLongest = 100;

bool reads_as_on(std::string_view word) {
  return word == "True" || word == "TRUE" || word == "yes" || word == "on" || word == "1";
}

}  // namespace

bool reads_as_off(std::string_view word) {
  return word == "false" || word == "False" || word == "FALSE";
}

void StrayWords::add_flag(const Word& word) {
  const std::string_view spelling = std::string_view(word.text).substr(0, word.text.find('='));
  flags_.emplace_back(spelling);
  if (!parser_.complete) {
    return;
  }
  const bool look_up = flags_.size() <= kSuggestions && spelling.size() <= kLongest;
  diagnostics_.push_back({"flags/unrecognized",
                          word.mark,
                          fmt::format("{} does not know `{}`{}",
                                      parser_.program,
                                      spelling,
                                      look_up ? suggestion(spelling) : ""),
                          {},
                          look_up ? abbreviation(spelling) : ""});
}

std::string StrayWords::suggestion(std::string_view spelling) {
  const std::string history = parser_.history ? parser_.history(spelling) : std::string();
  if (!history.empty()) {
    return fmt::format(" ({})", history);
  }
  std::vector<std::string_view> spellings;
  for (const Flag* flag : parser_.flags) {
    spellings.insert(spellings.end(), flag->spellings.begin(), flag->spellings.end());
  }
  return text::did_you_mean(spelling, spellings);
}

std::string StrayWords::abbreviation(std::string_view spelling) const {
  std::string_view longer;
  int count = 0;
  for (const Flag* flag : parser_.flags) {
    for (const std::string_view known : flag->spellings) {
      if (spelling.size() > 3 && known.substr(0, spelling.size()) == spelling) {
        longer = known;
        ++count;
      }
    }
  }
  return count == 1 ? fmt::format("abbreviations are switched off; write `{}`", longer)
                    : std::string();
}

void StrayWords::add_word(const Word& word, const text::Mark& mark) {
  if (parser_.complete) {
    diagnostics_.push_back(
        {"flags/stray-word", mark, fmt::format("no flag takes the word `{}`", word.text)});
  }
}

void StrayWords::add_word(const Word& word,
                          const text::Mark& mark,
                          std::string_view flag,
                          const text::Mark& flag_mark) {
  if (!parser_.complete) {
    return;
  }
  std::string help;
  if (reads_as_off(word.text)) {
    help = fmt::format("leave `{}` out", flag);
  } else if (reads_as_on(word.text)) {
    help = fmt::format("write `{}` alone (in YAML: `{}: true`)", flag, flag);
  }
  diagnostics_.push_back(
      {"flags/stray-word",
       mark,
       fmt::format("`{}` takes no value, but `{}` stands behind it", flag, word.text),
       {{flag_mark, "this flag"}},
       std::move(help)});
}

}  // namespace epwise::recipe
