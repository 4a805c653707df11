#include "session/options/command_line.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/text/ascii.h"
#include "base/text/spelling.h"

namespace epwise::session {

namespace {

using os::UsageError;

/// CLI11 with one string list per option. Operands are taken from its remainder, because its own
/// positional lists split "[a,b]".
class Parser {
 public:
  explicit Parser(const std::vector<Option>& options) : values_(options.size()) {
    app_.set_help_flag();
    app_.allow_extras();
    for (std::size_t i = 0; i < options.size(); ++i) {
      const Option& option = options[i];
      std::string names(option.name);
      if (!option.short_name.empty()) {
        names += fmt::format(",{}", option.short_name);
      }
      if (option.arity == Option::Arity::flag) {
        options_.push_back(app_.add_flag(names));
      } else {
        options_.push_back(app_.add_option(names, values_[i])
                               ->allow_extra_args(false)
                               ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll));
      }
    }
  }

  void stop_at_first_operand() { app_.prefix_command(); }

  void run(std::vector<std::string> words, std::string_view who) {
    std::ranges::reverse(words);  // CLI11 expects the last word first
    try {
      app_.parse(words);
    } catch (const CLI::ParseError& error) {
      throw UsageError(fmt::format("{}: {}", who, error.what()));
    }
  }

  std::vector<std::string> left_over() const { return app_.remaining(); }

  std::size_t count(std::size_t option) const { return options_[option]->count(); }

  const std::vector<std::string>& values(std::size_t option) const { return values_[option]; }

 private:
  CLI::App app_;
  std::vector<CLI::Option*> options_;
  std::vector<std::vector<std::string>> values_;
};

bool is_option_word(std::string_view word) {
  return word.size() > 1 && word.front() == '-';
}

const Option* find_option(const std::vector<Option>& options, std::string_view name) {
  const auto found = std::ranges::find_if(options, [name](const Option& option) {
    return option.name == name || (!option.short_name.empty() && option.short_name == name);
  });
  return found == options.end() ? nullptr : &*found;
}

[[noreturn]] void throw_unknown(const std::vector<Option>& options,
                                std::string_view word,
                                std::string_view who) {
  const std::string_view name = word.substr(0, word.find('='));
  std::vector<std::string_view> names(options.size());
  std::ranges::transform(options, names.begin(), &Option::name);
  throw UsageError(
      fmt::format("unknown option `{}` of {}{}", name, who, text::did_you_mean(name, names)));
}

std::string needs_value(const Option& option, std::string_view who) {
  return fmt::format("option `{0}` of {1} needs a value: {0} {2}", option.name, who, option.value);
}

/// Words that CLI11 would misinterpret: `--flag=false` as the flag, `--hw= x` as `--hw x`, `--hw
/// --gpus` as the value "--gpus".
void check_values(const std::vector<Option>& options,
                  const std::vector<std::string>& words,
                  std::string_view who) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const std::size_t equals = word.find('=');
    const Option* option = find_option(options, word.substr(0, equals));
    if (option == nullptr) {
      continue;
    }
    const bool is_flag = option->arity == Option::Arity::flag;
    if (is_flag && equals != std::string_view::npos) {
      throw UsageError(fmt::format("option `{}` of {} takes no value", option->name, who));
    }
    const bool followed_by_option =
        i + 1 < words.size() && words[i + 1].starts_with("--") &&
        find_option(options, std::string_view(words[i + 1]).substr(0, words[i + 1].find('=')));
    const bool empty_or_missing = equals == std::string_view::npos
                                      ? i + 1 == words.size() || followed_by_option
                                      : equals + 1 == word.size();
    const bool alone = equals == std::string_view::npos && !option->implied.empty();
    if (!is_flag && !alone && empty_or_missing) {
      throw UsageError(needs_value(*option, who));
    }
  }
}

void check_word(const Option& option, const std::string& value, std::string_view source) {
  if (option.words.empty() || std::ranges::find(option.words, value) != option.words.end()) {
    return;
  }
  throw UsageError(fmt::format("{} expects {}{}, not `{}`{}",
                               source,
                               option.words.size() == 1 ? "" : "one of ",
                               fmt::join(option.words, ", "),
                               value,
                               text::did_you_mean(value, option.words)));
}

std::optional<bool> parse_switch(const std::string& text) {
  for (const std::string_view on : {"1", "true", "yes", "on"}) {
    if (text == on) {
      return true;
    }
  }
  for (const std::string_view off : {"0", "false", "no", "off"}) {
    if (text == off) {
      return false;
    }
  }
  return std::nullopt;
}

void add_switch(const Option& option, const std::string& text, Arguments& arguments) {
  const std::optional<bool> on = parse_switch(text);
  if (!on.has_value()) {
    throw UsageError(fmt::format("{} is a switch (1 or 0), not `{}`", option.variable, text));
  }
  if (*on) {
    arguments.add(option.name, Setting{"", std::string(option.variable)});
  }
}

void add_values(const Option& option, std::string_view text, Arguments& arguments) {
  const bool many = option.arity == Option::Arity::many;
  while (!text.empty()) {
    const std::size_t end = many ? text.find(option.separator) : std::string_view::npos;
    const std::string value(text.substr(0, end));
    if (!value.empty()) {
      check_word(option, value, option.variable);
      arguments.add(option.name, Setting{value, std::string(option.variable)});
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

/// Options that may be given alone get their value made explicit.
std::vector<std::string> completed(const std::vector<Option>& options,
                                   std::vector<std::string> words) {
  for (std::string& word : words) {
    const Option* option = find_option(options, word);
    if (option != nullptr && !option->implied.empty()) {
      word = fmt::format("{}={}", option->name, option->implied);
    }
  }
  return words;
}

}  // namespace

Arguments parse_words(const std::vector<Option>& options,
                      const std::vector<std::string>& words,
                      std::string_view who,
                      std::string_view source) {
  check_values(options, words, who);
  Parser parser(options);
  parser.run(completed(options, words), who);
  Arguments arguments;
  for (const std::string& word : parser.left_over()) {
    if (is_option_word(word)) {
      throw_unknown(options, word, who);
    }
    arguments.operands.push_back(text::path_for_logs(word));
  }
  for (std::size_t i = 0; i < options.size(); ++i) {
    const Option& option = options[i];
    const std::string said_by(source.empty() ? option.name : source);
    if (option.arity == Option::Arity::flag && parser.count(i) > 0) {
      arguments.add(option.name, Setting{"", said_by});
    }
    const std::vector<std::string>& values = parser.values(i);
    if (option.arity == Option::Arity::one &&
        std::ranges::any_of(values, [&](const std::string& value) { return value != values[0]; })) {
      throw UsageError(fmt::format("{}{} is given twice: `{}` and `{}`",
                                   source.empty() ? "" : fmt::format("{}: ", source),
                                   option.name,
                                   values.front(),
                                   values.back()));
    }
    for (const std::string& value : values) {
      check_word(option, value, fmt::format("option `{}` of {}", option.name, who));
      arguments.add(option.name, Setting{value, said_by});
    }
  }
  return arguments;
}

void add_variables(const std::vector<Option>& options,
                   const os::Variables& variables,
                   Arguments& arguments) {
  for (const Option& option : options) {
    if (option.variable.empty() || arguments.flag(option.name)) {
      continue;
    }
    const std::optional<std::string> text = variables.get(std::string(option.variable));
    if (!text.has_value() || text->empty()) {
      continue;
    }
    if (option.arity == Option::Arity::flag) {
      add_switch(option, *text, arguments);
    } else {
      add_values(option, *text, arguments);
    }
  }
}

std::size_t find_command(const std::vector<Option>& options,
                         const std::vector<std::string>& words) {
  Parser parser(options);
  parser.stop_at_first_operand();
  parser.run(words, "epwise");
  const std::vector<std::string> rest = parser.left_over();
  if (!rest.empty() && is_option_word(rest.front())) {
    throw_unknown(options, rest.front(), "epwise");
  }
  return words.size() - rest.size();
}

}  // namespace epwise::session
