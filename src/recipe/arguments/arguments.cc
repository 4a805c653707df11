#include "recipe/arguments/arguments.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text/diagnostic.h"
#include "base/text/spelling.h"
#include "recipe/arguments/flag_values.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

/// Collects what argparse reports last: unknown flags and words that nothing takes.
class StrayWords {
 public:
  explicit StrayWords(const Parser& parser) : parser_(parser) {}

  /// A flag unknown to the parser, "--mo-experts" or "--mo-experts=8".
  void add_flag(const Word& word);

  /// A word (possibly followed by others up to the end of `mark`) that no flag takes.
  void add_word(const Word& word, const text::Mark& mark);

  /// The same after a flag that takes no value.
  void add_word(const Word& word,
                const text::Mark& mark,
                std::string_view flag,
                const text::Mark& flag_mark);

  const std::vector<std::string>& flags() const { return flags_; }

  const std::vector<text::Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::string suggestion(std::string_view spelling);
  std::string abbreviation(std::string_view spelling) const;

  const Parser& parser_;
  std::vector<std::string> flags_;
  std::vector<text::Diagnostic> diagnostics_;
};

/// "false", "False", "FALSE"
bool reads_as_off(std::string_view word);

/// A word as classified by argparse before parsing.
struct ArgumentToken {
  enum class Kind : std::uint8_t { value, flag, separator };
  Kind kind = Kind::value;
  const Flag* flag = nullptr;              // of a flag; null pointer: unknown to the parser
  std::string_view spelling = {};          // of a known flag
  std::optional<std::string> joined = {};  // --flag=value
};

/// Classifies words as flags and values: a word that starts with a dash is a flag, except -4 and
/// -1.5 (not -1e-2) and words containing a blank; everything after `--` is a value.
class ArgumentSorter {
 public:
  explicit ArgumentSorter(const std::vector<const Flag*>& flags);

  /// The spellings point into the flags and the joined values are copies; nothing refers to the
  /// words.
  std::vector<ArgumentToken> sort(const std::vector<Word>& words) const;

 private:
  const Flag* find(std::string_view spelling) const;
  ArgumentToken sort(std::string_view word) const;
  ArgumentToken known(std::string_view spelling, std::optional<std::string> joined = {}) const;

  std::unordered_map<std::string_view, const Flag*> by_spelling_;
  bool negative_flags_ = false;  // the parser has flags such as -1: then -4 is one too
};

namespace {

using expr::Value;
using ArgumentKind = ArgumentToken::Kind;

class Parse {
 public:
  Parse(const std::vector<Word>& words, const Parser& parser)
      : words_(words),
        parser_(parser),
        tokens_(ArgumentSorter(parser.flags).sort(words)),
        strays_(parser) {}

  Arguments run() {
    for (std::size_t i = 0; i < words_.size();) {
      if (tokens_[i].kind != ArgumentKind::flag) {
        i = take_strays(i);
      } else if (tokens_[i].flag == nullptr) {
        i = take_unknown(i);
      } else {
        i = take_flag(i);
      }
    }
    for (auto& [attribute, items] : appended_) {
      out_.values.find(attribute)->second.value = Value::of(std::move(items));
    }
    check_required();
    out_.unknown_flags = strays_.flags();
    out_.diagnostics.insert(
        out_.diagnostics.end(), strays_.diagnostics().begin(), strays_.diagnostics().end());
    return std::move(out_);
  }

 private:
  bool is_value(std::size_t i) const {
    return i < tokens_.size() && tokens_[i].kind == ArgumentKind::value;
  }

  std::size_t values_from(std::size_t begin) const {
    std::size_t end = begin;
    while (is_value(end)) {
      ++end;
    }
    return end - begin;
  }

  text::Mark span(std::size_t begin, std::size_t end) const {
    text::Mark mark = words_[begin].mark;
    const text::Mark& last = words_[end - 1].mark;
    if (last.file == mark.file && last.end > mark.end) {
      mark.end = last.end;
    }
    return mark;
  }

  void report(std::string_view rule,
              const text::Mark& mark,
              std::string message,
              std::string help = {}) {
    out_.diagnostics.push_back({std::string(rule), mark, std::move(message), {}, std::move(help)});
  }

  // ---- flags that the parser knows

  /// Values of `available` that the flag takes; nullopt after reporting that there are too few.
  std::optional<std::size_t> count(const ArgumentToken& token,
                                   const text::Mark& mark,
                                   std::size_t available) {
    const Flag& flag = *token.flag;
    if (is_bare(flag)) {
      return 0;
    }
    std::size_t least = 1;
    std::string wanted = "a value";
    switch (flag.values) {
      case Flag::Values::optional:
        return std::min<std::size_t>(available, 1);
      case Flag::Values::any:
        return available;
      case Flag::Values::one:
        break;
      case Flag::Values::some:
        wanted = "at least one value";
        break;
      case Flag::Values::fixed:
        least = static_cast<std::size_t>(flag.count);
        wanted = fmt::format("{} values", flag.count);
        break;
    }
    if (available < least) {
      report("flags/missing-value",
             mark,
             fmt::format("`{}` needs {}, but gets {}", token.spelling, wanted, found(available)));
      return std::nullopt;
    }
    return flag.values == Flag::Values::some ? available : least;
  }

  static std::string found(std::size_t available) {
    if (available == 0) {
      return "none is given";
    }
    return fmt::format("{} {}", available, available == 1 ? "follows" : "follow");
  }

  std::size_t take_flag(std::size_t at) {
    const ArgumentToken& token = tokens_[at];
    if (token.flag->action == Flag::Action::help) {
      report("flags/help",
             words_[at].mark,
             fmt::format("`{}` prints the help and exits the program", token.spelling));
      return at + 1;
    }
    if (token.joined) {
      take_joined(at);
      return at + 1;
    }
    const std::size_t available = values_from(at + 1);
    const auto taken = count(token, words_[at].mark, available);
    if (!taken) {
      remember(at, Value::unknown({std::string(token.spelling)}), words_[at].mark);
      return at + 1 + available;
    }
    if (*taken > 0 || !is_bare(*token.flag)) {
      convert(at,
              {words_.begin() + static_cast<std::ptrdiff_t>(at) + 1,
               words_.begin() + static_cast<std::ptrdiff_t>(at + 1 + *taken)});
      return at + 1 + *taken;
    }
    return take_bare(at, available);
  }

  static bool is_bare(const Flag& flag) {
    return flag.action != Flag::Action::store && flag.action != Flag::Action::append;
  }

  static Value bare_value(const Flag& flag) {
    if (flag.action == Flag::Action::store_const) {
      return flag.constant;
    }
    return Value::of(flag.action == Flag::Action::store_true);
  }

  /// A flag without a value, and the following word that a launcher made of `--flag: word`.
  std::size_t take_bare(std::size_t at, std::size_t available) {
    const ArgumentToken& token = tokens_[at];
    Value value = bare_value(*token.flag);
    if (available == 0) {
      remember(at, std::move(value), words_[at].mark);
      return at + 1;
    }
    const Word& word = words_[at + 1];
    if (!word.known()) {
      remember(at, Value::unknown(word.needs), word.mark);
      return available == 1 ? at + 2 : take_strays(at + 2, at);
    }
    // Rejected at launch; for the other rules the flag has its intended meaning.
    if (reads_as_off(word.text) && value.boolean() != nullptr) {
      value = Value::of(!*value.boolean());
    }
    remember(at, std::move(value), word.mark);
    return take_strays(at + 1, at);
  }

  /// --flag=value
  void take_joined(std::size_t at) {
    const ArgumentToken& token = tokens_[at];
    const Word& word = words_[at];
    if (is_bare(*token.flag)) {
      report("flags/unexpected-value",
             word.mark,
             fmt::format("`{}` takes no value, but `{}` is given", token.spelling, *token.joined),
             fmt::format("write `{}` alone, or remove it", token.spelling));
      remember(at, Value::unknown({std::string(token.spelling)}), word.mark);
      return;
    }
    if (!count(token, word.mark, 1)) {
      remember(at, Value::unknown({std::string(token.spelling)}), word.mark);
      return;
    }
    Word value{*token.joined, word.mark, word.needs, word.origin};
    value.mark.begin = std::min(
        word.mark.end, word.mark.begin + static_cast<std::uint32_t>(token.spelling.size()) + 1);
    convert(at, {std::move(value)});
  }

  void convert(std::size_t at, std::vector<Word> values) {
    const Flag& flag = *tokens_[at].flag;
    const bool single = flag.values == Flag::Values::one || flag.values == Flag::Values::optional;
    if (values.empty()) {
      remember(at, single ? flag.constant : Value::of(Value::List{}), words_[at].mark);
      return;
    }
    Value::List items;
    for (const Word& word : values) {
      items.push_back(convert_word(tokens_[at], word));
    }
    text::Mark mark = values.front().mark;
    mark.end = std::max(mark.end,
                        values.back().mark.file == mark.file ? values.back().mark.end : mark.end);
    remember(at, single ? std::move(items.front()) : list_value(std::move(items)), mark);
  }

  /// A list with an unknown entry has unknown content.
  static Value list_value(Value::List items) {
    std::vector<std::string> needs;
    for (const Value& item : items) {
      if (item.is_unknown()) {
        needs.insert(needs.end(), item.unknown()->needs.begin(), item.unknown()->needs.end());
      }
    }
    return needs.empty() ? Value::of(std::move(items)) : Value::unknown(std::move(needs));
  }

  Value convert_word(const ArgumentToken& token, const Word& word) {
    if (!word.known()) {
      return Value::unknown(word.needs);
    }
    const Flag& flag = *token.flag;
    Converted converted = convert_flag_value(flag, word.text);
    using Outcome = Converted::Outcome;
    if (converted.outcome == Outcome::fine) {
      return std::move(converted.value);
    }
    const bool choice = !flag.choices.empty() && converted.outcome != Outcome::value;
    if (choice && out_.bad_choice.empty()) {
      out_.bad_choice = flag.attribute;
    }
    const std::string_view ending =
        converted.outcome == Outcome::crash ? "; the program fails with a Python error" : "";
    report(choice ? "flags/bad-choice" : "flags/bad-value",
           word.mark,
           fmt::format("`{}` ({}) needs {}, not `{}`{}",
                       token.spelling,
                       flag.attribute,
                       converted.expected,
                       word.text,
                       ending),
           choice ? nearest_choice(flag, word.text) : std::string());
    // A rejected choice keeps its text: the rules about that field know more about it.
    return choice ? std::move(converted.value) : Value::unknown({std::string(token.spelling)});
  }

  static std::string nearest_choice(const Flag& flag, std::string_view word) {
    const auto near = text::nearest(word, flag.choices, 1);
    return near.empty() ? std::string() : fmt::format("did you mean `{}`?", near.front());
  }

  void remember(std::size_t at, Value value, const text::Mark& mark) {
    const ArgumentToken& token = tokens_[at];
    Argument argument{
        std::move(value), std::string(token.spelling), words_[at].mark, mark, words_[at].origin};
    const std::size_t value_at = token.joined ? at : at + 1;
    if (token.joined || (is_value(value_at) && !is_value(value_at + 1))) {
      argument.definition = words_[value_at].definition;
    }
    if (token.joined) {
      argument.key.end = std::min(
          argument.key.end, argument.key.begin + static_cast<std::uint32_t>(token.spelling.size()));
    } else if (is_value(at + 1) && words_[at + 1].origin == Origin::environment) {
      argument.origin = Origin::environment;
    }
    if (token.flag->action == Flag::Action::append) {
      appended_[token.flag->attribute].push_back(argument.value);
    }
    out_.values.insert_or_assign(std::string(token.flag->attribute), std::move(argument));
  }

  void check_required() {
    for (const Flag* flag : parser_.flags) {
      const bool missing = flag->required && out_.values.find(flag->attribute) == out_.values.end();
      if (missing) {
        report("flags/required",
               {},
               fmt::format("`{}` ({}) is required", flag->spellings.front(), flag->attribute));
      }
    }
  }

  // ---- words that nobody takes

  std::size_t take_unknown(std::size_t at) {
    strays_.add_flag(words_[at]);
    return at + 1 + values_from(at + 1);
  }

  /// All words up to the next flag; they follow the bare flag at `owner`, if there is one.
  std::size_t take_strays(std::size_t begin, std::optional<std::size_t> owner = {}) {
    std::size_t end = begin;
    while (end < tokens_.size() && tokens_[end].kind != ArgumentKind::flag) {
      out_.stray_words.push_back(words_[end].text);
      ++end;
    }
    if (owner) {
      strays_.add_word(
          words_[begin], span(begin, end), tokens_[*owner].spelling, words_[*owner].mark);
    } else {
      strays_.add_word(words_[begin], span(begin, end));
    }
    return end;
  }

  const std::vector<Word>& words_;
  const Parser& parser_;
  std::vector<ArgumentToken> tokens_;
  StrayWords strays_;
  std::map<std::string_view, Value::List> appended_;
  Arguments out_;
};

}  // namespace

Arguments parse_arguments(const std::vector<Word>& words, const Parser& parser) {
  return Parse(words, parser).run();
}

using expr::Value;

Value text_list(const std::vector<std::string>& texts) {
  Value::List items;
  items.reserve(texts.size());
  for (const std::string& text : texts) {
    items.push_back(Value::of(text));
  }
  return Value::of(std::move(items));
}

Parser parser_of(const Vocabulary& vocabulary) {
  Parser parser;
  for (const Flag& flag : vocabulary.flags()) {
    parser.flags.push_back(&flag);
  }
  parser.history = [&vocabulary](std::string_view spelling) {
    return vocabulary.history(spelling);
  };
  parser.program = fmt::format("Megatron-LM {}", vocabulary.version());
  return parser;
}

void add_arguments(Recipe& recipe, Arguments arguments, const Vocabulary& vocabulary) {
  for (auto& [attribute, argument] : arguments.values) {
    const FieldSpec* spec = vocabulary.find_attribute(attribute);
    Field field;
    field.name = spec != nullptr ? std::string(spec->name) : "mlm." + attribute;
    field.value = std::move(argument.value);
    if (spec != nullptr && spec->inverted && field.value.boolean() != nullptr) {
      field.value = Value::of(!*field.value.boolean());
    }
    field.key = argument.key;
    field.mark = argument.mark;
    field.origin = argument.origin;
    field.spelling = std::move(argument.spelling);
    field.definition = argument.definition;
    std::string name = field.name;
    recipe.fields.insert_or_assign(std::move(name), std::move(field));
  }
  recipe.raw["raw.unknown_flags"] = text_list(arguments.unknown_flags);
  recipe.raw["raw.stray_words"] = text_list(arguments.stray_words);
  recipe.raw["raw.bad_choice"] =
      arguments.bad_choice.empty() ? Value::unset() : Value::of(std::move(arguments.bad_choice));
  std::move(arguments.diagnostics.begin(),
            arguments.diagnostics.end(),
            std::back_inserter(recipe.diagnostics));
}

namespace {

// A look-up reads all spellings: enough of them for people, bounded for a file full of wrong words.
constexpr std::size_t kStrayWordSuggestions = 20;
constexpr std::size_t kLongestStrayWord = 100;

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
  const bool look_up =
      flags_.size() <= kStrayWordSuggestions && spelling.size() <= kLongestStrayWord;
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
        {"flags/stray-word", mark, fmt::format("`{}` does not belong to any flag", word.text)});
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
    help = fmt::format("remove `{}`", flag);
  } else if (reads_as_on(word.text)) {
    help = fmt::format("write `{}` alone (in YAML: `{}: true`)", flag, flag);
  }
  diagnostics_.push_back(
      {"flags/stray-word",
       mark,
       fmt::format("`{}` takes no value, but is followed by `{}`", flag, word.text),
       {{flag_mark, "this flag"}},
       std::move(help)});
}

namespace {

/// argparse's definition of a negative number: it knows no exponents, so -1e-2 is parsed as a flag.
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
  return {ArgumentKind::flag, found->second, found->first, std::move(joined)};
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
  // With one dash, "-hx" is "-h" followed by "x".
  if (word[1] != '-' && find(word.substr(0, 2)) != nullptr) {
    return known(word.substr(0, 2), std::string(word.substr(2)));
  }
  const bool number = is_negative_number(word) && !negative_flags_;
  return number || word.find(' ') != std::string_view::npos ? ArgumentToken{}
                                                            : ArgumentToken{ArgumentKind::flag};
}

std::vector<ArgumentToken> ArgumentSorter::sort(const std::vector<Word>& words) const {
  std::vector<ArgumentToken> tokens;
  tokens.reserve(words.size());
  bool only_values = false;
  for (const Word& word : words) {
    const bool separator = !only_values && word.known() && word.text == "--";
    if (separator) {
      tokens.push_back({ArgumentKind::separator});
      only_values = true;
    } else {
      tokens.push_back(only_values ? ArgumentToken{} : sort(word.text));
    }
  }
  return tokens;
}

}  // namespace epwise::recipe
