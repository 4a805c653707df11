#include "recipe/arguments/tokens.h"

#include <algorithm>
#include <utility>

namespace epwise::recipe {
namespace {

using Kind = ArgumentToken::Kind;

/// argparse's own idea of a negative number: it knows no exponents, so that -1e-2 reads as a flag.
bool is_negative_number(std::string_view word) {
  if (word.size() < 2 || word.front() != '-') {
    return false;
  }
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const std::string_view body = word.substr(1);
  const std::size_t point = body.find('.');
  const std::string_view whole = body.substr(0, point);
  if (!std::all_of(whole.begin(), whole.end(), digit)) {
    return false;
  }
  if (point == std::string_view::npos) {
    return true;
  }
  const std::string_view fraction = body.substr(point + 1);
  return !fraction.empty() && std::all_of(fraction.begin(), fraction.end(), digit);
}

}  // namespace

ArgumentSorter::ArgumentSorter(const std::vector<const Flag*>& flags) {
  for (const Flag* flag : flags) {
    for (const std::string_view spelling : flag->spellings) {
      by_spelling_.emplace(spelling, flag);
      negative_flags_ = negative_flags_ || is_negative_number(spelling);
    }
  }
}

const Flag* ArgumentSorter::find(std::string_view spelling) const {
  const auto found = by_spelling_.find(spelling);
  return found == by_spelling_.end() ? nullptr : found->second;
}

ArgumentToken ArgumentSorter::known(std::string_view spelling,
                                    std::optional<std::string> joined) const {
  const auto found = by_spelling_.find(spelling);
  return {Kind::flag, found->second, found->first, std::move(joined)};
}

ArgumentToken ArgumentSorter::sort(std::string_view word) const {
  if (word.size() < 2 || word.front() != '-') {
    return {};
  }
  if (find(word) != nullptr) {
    return known(word);
  }
  const std::size_t equals = word.find('=');
  if (equals != std::string_view::npos && find(word.substr(0, equals)) != nullptr) {
    return known(word.substr(0, equals), std::string(word.substr(equals + 1)));
  }
  // With one dash, "-hx" is "-h" with "x" behind it.
  if (word[1] != '-' && find(word.substr(0, 2)) != nullptr) {
    return known(word.substr(0, 2), std::string(word.substr(2)));
  }
  const bool number = is_negative_number(word) && !negative_flags_;
  return number || word.find(' ') != std::string_view::npos ? ArgumentToken{}
                                                            : ArgumentToken{Kind::flag};
}

std::vector<ArgumentToken> ArgumentSorter::sort(const std::vector<Word>& words) const {
  std::vector<ArgumentToken> tokens;
  tokens.reserve(words.size());
  bool only_values = false;
  for (const Word& word : words) {
    const bool separator = !only_values && word.known() && word.text == "--";
    if (separator) {
      tokens.push_back({Kind::separator});
      only_values = true;
    } else {
      tokens.push_back(only_values ? ArgumentToken{} : sort(word.text));
    }
  }
  return tokens;
}

}  // namespace epwise::recipe
