#include "ui/terminal.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

#include "ui/style.h"

namespace epwise::cli {

namespace {

bool is_set(const os::Variables& variables, const char* name) {
  const std::optional<std::string> value = variables.get(name);
  return value.has_value() && !value->empty();
}

constexpr int kDefaultWidth = 100;
constexpr int kNarrowestTerminal = 40;
constexpr int kWidest = 200;

}  // namespace

Terminal find_terminal() {
  Terminal terminal;
  terminal.in = isatty(STDIN_FILENO) != 0;
  terminal.out = isatty(STDOUT_FILENO) != 0;
  terminal.err = isatty(STDERR_FILENO) != 0;
  winsize size{};
  if (terminal.out && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
    terminal.columns = size.ws_col;
  }
  return terminal;
}

bool wants_colour(std::string_view choice, bool is_terminal, const os::Variables& variables) {
  report::ColourFacts facts;
  if (choice != "auto") {
    facts.choice = choice == "always" ? report::ColourChoice::always : report::ColourChoice::never;
  }
  facts.terminal = is_terminal;
  facts.no_color = variables.get("NO_COLOR");
  facts.force_color = variables.get("FORCE_COLOR");
  facts.clicolor_force = variables.get("CLICOLOR_FORCE");
  facts.term = variables.get("TERM");
  return report::use_colour(facts);
}

bool wants_unicode(const os::Variables& variables) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (is_set(variables, name)) {
      std::string locale = *variables.get(name);
      std::erase(locale, '-');
      std::ranges::transform(locale, locale.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      });
      return locale.find("utf8") != std::string::npos;
    }
  }
  return false;
}

int text_width(const Terminal& terminal, const os::Variables& variables) {
  int width = terminal.columns;
  if (const auto text = variables.get("COLUMNS"); text.has_value()) {
    int columns = 0;
    const auto result = std::from_chars(text->data(), text->data() + text->size(), columns);
    if (result.ec == std::errc() && columns > 0) {
      width = columns;
    }
  }
  return width <= 0 ? kDefaultWidth : std::clamp(width, kNarrowestTerminal, kWidest);
}

}  // namespace epwise::cli
