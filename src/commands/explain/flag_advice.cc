#include "commands/explain/flag_advice.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/text/spelling.h"

namespace epwise::audit {

namespace {

constexpr std::size_t kMostFlags = 8;

std::vector<std::string_view> words_between_spaces(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    if (end > 0) {
      words.push_back(text.substr(0, end));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::string without_first(const std::string& text, std::string_view start) {
  return text.starts_with(start) ? text.substr(start.size()) : text;
}

std::string advice_on(std::string_view flag, const recipe::Vocabulary& vocabulary) {
  const auto spelling = flag.substr(0, flag.find('='));
  const auto history = vocabulary.history(spelling);
  if (!history.empty()) {
    return fmt::format(
        "Megatron-LM {} does not know `{}`, {}", vocabulary.version(), spelling, history);
  }
  if (vocabulary.flag(spelling) != nullptr) {
    return fmt::format(
        "Megatron-LM {} knows `{}`: either the version that ran does not, or the preceding "
        "argument consumed it",
        vocabulary.version(),
        spelling);
  }
  std::vector<std::string_view> spellings;
  for (const auto& known : vocabulary.flags()) {
    spellings.insert(spellings.end(), known.spellings.begin(), known.spellings.end());
  }
  const auto meant = without_first(text::did_you_mean(spelling, spellings), ", ");
  return fmt::format(
      "`{}`: {}", spelling, meant.empty() ? "there is no flag with a similar name" : meant);
}

/// The quoted texts after "choose from".
std::vector<std::string_view> choices_in(std::string_view message) {
  std::vector<std::string_view> choices;
  const auto list = message.find("choose from");
  auto rest = message.substr(std::min(list, message.size()));
  for (auto open = rest.find('\''); open != std::string_view::npos; open = rest.find('\'')) {
    rest.remove_prefix(open + 1);
    const auto close = rest.find('\'');
    if (close == std::string_view::npos) {
      break;
    }
    choices.push_back(rest.substr(0, close));
    rest.remove_prefix(close + 1);
  }
  return choices;
}

std::vector<std::string> advice_on_choice(std::string_view message) {
  constexpr std::string_view kInvalid = "invalid choice: '";
  const auto at = message.find(kInvalid);
  if (at == std::string_view::npos) {
    return {};
  }
  const auto value = message.substr(at + kInvalid.size());
  auto meant = without_first(
      text::did_you_mean(value.substr(0, value.find('\'')), choices_in(message)), ", ");
  return meant.empty() ? std::vector<std::string>() : std::vector{std::move(meant)};
}

}  // namespace

std::vector<std::string> flag_advice(const Crash& crash, const recipe::Vocabulary& vocabulary) {
  constexpr std::string_view kUnknown = "unrecognized arguments: ";
  constexpr std::string_view kAmbiguous = "ambiguous option: ";
  const std::string_view message = crash.message;
  if (!message.starts_with(kUnknown) && !message.starts_with(kAmbiguous)) {
    return message.starts_with("argument ") ? advice_on_choice(message)
                                            : std::vector<std::string>();
  }
  std::vector<std::string> advice;
  if (const auto could = message.find(" could match "); could != std::string_view::npos) {
    advice.push_back(fmt::format("write one of {} in full", message.substr(could + 13)));
    return advice;
  }
  for (const auto word : words_between_spaces(message.substr(message.find(':') + 1))) {
    if (word.starts_with("--") && word.size() > 2 && advice.size() < kMostFlags) {
      advice.push_back(advice_on(word, vocabulary));
    }
  }
  return advice;
}

}  // namespace epwise::audit
