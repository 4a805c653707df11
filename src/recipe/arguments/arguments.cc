#include "recipe/arguments/arguments.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "recipe/arguments/flag_values.h"
#include "recipe/arguments/stray_words.h"
#include "recipe/arguments/tokens.h"
#include "text/spelling.h"

namespace epwise::recipe {
namespace {

using expr::Value;
using Kind = ArgumentToken::Kind;

class Parse {
 public:
  Parse(const std::vector<Word>& words, const Parser& parser)
      : words_(words),
        parser_(parser),
        tokens_(ArgumentSorter(parser.flags).sort(words)),
        strays_(parser) {}

  Arguments run() {
    for (std::size_t i = 0; i < words_.size();) {
      if (tokens_[i].kind != Kind::flag) {
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
    return i < tokens_.size() && tokens_[i].kind == Kind::value;
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

  /// Values that the flag takes of `available`; nullopt after reporting that there are too few.
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
             fmt::format("`{}` wants {}, here {}", token.spelling, wanted, found(available)));
      return std::nullopt;
    }
    return flag.values == Flag::Values::some ? available : least;
  }

  static std::string found(std::size_t available) {
    if (available == 0) {
      return "none follows";
    }
    return fmt::format("{} {}", available, available == 1 ? "follows" : "follow");
  }

  std::size_t take_flag(std::size_t at) {
    const ArgumentToken& token = tokens_[at];
    if (token.flag->action == Flag::Action::help) {
      report("flags/help",
             words_[at].mark,
             fmt::format("`{}` prints the help and ends the program", token.spelling));
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

  /// A flag without value, and the word behind it that a launcher made of `--flag: word`.
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
    // Refused at launch; for the other rules the flag means what its author meant.
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
             fmt::format("`{}` takes no value, here `{}`", token.spelling, *token.joined),
             fmt::format("write `{}` alone, or leave it out", token.spelling));
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
        converted.outcome == Outcome::crash ? "; the program dies with a Python error" : "";
    report(choice ? "flags/bad-choice" : "flags/bad-value",
           word.mark,
           fmt::format("`{}` ({}) wants {}, not `{}`{}",
                       token.spelling,
                       flag.attribute,
                       converted.expected,
                       word.text,
                       ending),
           choice ? nearest_choice(flag, word.text) : std::string());
    // A refused choice keeps its text: the rules about that field know more about it.
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

  /// All words up to the next flag; they stand behind the bare flag at `owner`, if there is one.
  std::size_t take_strays(std::size_t begin, std::optional<std::size_t> owner = {}) {
    std::size_t end = begin;
    while (end < tokens_.size() && tokens_[end].kind != Kind::flag) {
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

}  // namespace epwise::recipe
