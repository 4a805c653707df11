#include "cli/manual/manual_page.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/manual/help.h"
#include "cli/version.h"

namespace epwise::cli {

namespace {

/// One line of text as roff reads it back: a hyphen of an option stays one that can be copied, and
/// nothing at the start of a line is taken for a request.
std::string roff(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '\\') {
      result += "\\e";
    } else if (letter == '-') {
      result += "\\-";
    } else if (letter == '\'') {
      result += "\\(aq";
    } else if (letter == '"') {
      result += "\\(dq";
    } else if (letter == '`') {
      result += "\\(ga";
    } else {
      result += letter;
    }
  }
  return text.starts_with('.') ? "\\&" + result : result;
}

std::string upper(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char letter) {
    return static_cast<char>(std::toupper(letter));
  });
  return result;
}

/// A term and what is said of it.
std::string entry(std::string_view term, std::string_view text) {
  return fmt::format(".TP\n.B {}\n{}\n", roff(term), roff(text));
}

bool is_heading(std::string_view line) {
  return !line.empty() && line.front() != ' ' &&
         std::ranges::none_of(line, [](unsigned char it) { return std::islower(it) != 0; });
}

/// A chapter of help: lines in capitals are headings, the others stay as they are laid out.
std::string laid_out(std::string_view text) {
  std::string result = ".nf\n";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    result += is_heading(line) ? fmt::format(".fi\n.SS {}\n.nf\n", roff(line)) : roff(line) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result + ".fi\n";
}

std::string option_entries(const std::vector<Option>& options) {
  std::string result;
  for (const Option& option : options) {
    result +=
        entry(name_and_value(option),
              option.variable.empty() ? std::string(option.summary)
                                      : fmt::format("{} [{}]", option.summary, option.variable));
  }
  return result;
}

std::string chapter(const Command& command) {
  std::string text = fmt::format(".SH \"EPWISE {}\"\n{}.\n.PP\n.B epwise {}\n",
                                 upper(command.name),
                                 roff(command.summary),
                                 roff(command.usage));
  text += option_entries(command.options);
  if (!command.about.empty()) {
    text += ".PP\n" + laid_out(command.about);
  }
  text += ".SS Examples\n";
  for (const Example& example : command.examples) {
    text += entry(fmt::format("epwise {}", example.words), example.what);
  }
  text += ".SS Exit codes\n";
  for (const Exit& each : all_exits(command)) {
    text += entry(fmt::format("{}", to_int(each.code)), each.what);
  }
  return text;
}

}  // namespace

std::string manual_page() {
  std::string text = fmt::format(
      ".TH EPWISE 1 \"\" \"epwise {0}\" \"User Commands\"\n"
      ".SH NAME\n"
      "epwise \\- lints Megatron MoE recipes before they reach the cluster\n"
      ".SH SYNOPSIS\n"
      ".B epwise\n"
      ".I COMMAND\n"
      "[OPTION...] [ARGUMENT...]\n"
      ".SH DESCRIPTION\n",
      tool_version());
  text += laid_out(overview_about());
  text += ".SH COMMANDS\n";
  for (const Command& command : commands()) {
    text += entry(fmt::format("epwise {}", command.name), command.summary);
  }
  text += ".SH \"OPTIONS OF EVERY COMMAND\"\n" + option_entries(root_options());
  for (const Command& command : commands()) {
    text += chapter(command);
  }
  return text;
}

}  // namespace epwise::cli
