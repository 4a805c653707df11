#include "session/settings/recipe_header.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/text/ascii.h"
#include "session/files/places.h"
#include "session/options/command_line.h"
#include "session/options/target_options.h"

namespace epwise::session {

namespace {

constexpr std::string_view kPrefix = "epwise:";

/// `hw=h100` and `gpus 64` are meant as options; other prose is a comment.
void check_dashes(std::string_view comment, const std::string& place) {
  const std::string_view name = comment.substr(0, comment.find_first_of("= "));
  const std::vector<Option> options = target_options();
  const bool option =
      name.size() < comment.size() && std::ranges::any_of(options, [name](const Option& each) {
        return each.name.substr(2) == name;
      });
  if (option) {
    throw os::UsageError(fmt::format(
        "{}: `# epwise: {}`: options in a header begin with two dashes: `# epwise: --{} {}`",
        place,
        comment,
        name,
        text::trimmed(comment.substr(name.size() + 1), text::kBlanksAndReturns)));
  }
}

/// The options in a comment line; empty for any other comment.
std::string_view options_in(std::string_view comment, const std::string& place) {
  comment.remove_prefix(1);
  comment = text::trimmed(comment, text::kBlanksAndReturns);
  if (!comment.starts_with(kPrefix)) {
    return {};
  }
  comment = text::trimmed(comment.substr(kPrefix.size()), text::kBlanksAndReturns);
  check_dashes(comment, place);
  return comment.starts_with("--") ? comment : std::string_view{};
}

bool is_before_content(std::string_view line) {
  return line.empty() || line.front() == '#' || line.front() == '%' || line == "---";
}

/// Lines of a header add up; the same thing in two of them is a mistake.
void add_line(TargetSettings later, TargetSettings& settings) {
  const auto take = [](std::optional<Setting>& from, std::optional<Setting>& to) {
    if (from && to) {
      throw os::UsageError(fmt::format("{}: `{}` contradicts `{}` at {}; name one",
                                       from->source,
                                       from->value,
                                       to->value,
                                       to->source));
    }
    if (from) {
      to = std::move(from);
    }
  };
  take(later.hw, settings.hw);
  take(later.gpus, settings.gpus);
  take(later.framework, settings.framework);
  take(later.purpose, settings.purpose);
  take(later.base, settings.base);
  take(later.model_config, settings.model_config);
  std::ranges::move(later.stack, std::back_inserter(settings.stack));
  std::ranges::move(later.environment, std::back_inserter(settings.environment));
  std::ranges::move(later.allowed_targets, std::back_inserter(settings.allowed_targets));
  std::ranges::move(later.harness, std::back_inserter(settings.harness));
  std::ranges::move(later.inputs, std::back_inserter(settings.inputs));
}

}  // namespace

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = '\0';
  for (const char c : text) {
    if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      inside = true;
    } else if (text::kBlanksAndReturns.find(c) != std::string_view::npos) {
      if (inside) {
        words.push_back(std::exchange(word, {}));
      }
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) {
    words.push_back(word);
  }
  return words;
}

TargetSettings read_header(const text::SourceFile& file) {
  TargetSettings settings;
  for (int number = 1; number <= file.line_count(); ++number) {
    const std::string_view line = text::trimmed(file.line(number), text::kBlanksAndReturns);
    if (!is_before_content(line)) {
      break;
    }
    if (!line.starts_with('#')) {
      continue;
    }
    const std::string place = fmt::format("{}:{}", file.name(), number);
    const std::string_view options = options_in(line, place);
    if (options.empty()) {
      continue;
    }
    const std::string who = fmt::format("the header at {}", place);
    const Arguments arguments = parse_words(target_options(), split_words(options), who, place);
    if (!arguments.operands.empty()) {
      throw os::UsageError(
          fmt::format("`{}` is not an option for {}: a header accepts options such as --hw, "
                      "--gpus, --stack and --env",
                      arguments.operands.front(),
                      who));
    }
    TargetSettings said = target_settings(arguments);
    if (said.base) {
      said.base->value = join(parent_of(file.name()), said.base->value);
    }
    if (said.model_config) {
      said.model_config->value = join(parent_of(file.name()), said.model_config->value);
    }
    add_line(std::move(said), settings);
  }
  return settings;
}

}  // namespace epwise::session
