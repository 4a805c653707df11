#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "commands/help/help.h"
#include "ui/command.h"

namespace epwise::cli {

namespace {

std::string hyphens(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    result += letter == '-' ? "\\-" : std::string(1, letter);
  }
  return result;
}

/// What the page says of one command.
std::string chapter_of(const std::string& page, std::string_view command) {
  std::string heading = "\n.SH \"EPWISE ";
  for (const char letter : command) {
    heading += static_cast<char>(letter >= 'a' && letter <= 'z' ? letter - 'a' + 'A' : letter);
  }
  const std::size_t begin = page.find(heading + "\"\n");
  return begin == std::string::npos ? ""
                                    : page.substr(begin, page.find("\n.SH ", begin + 1) - begin);
}

}  // namespace

TEST_CASE("the manual page holds every command with every option and exit code") {
  const std::string page = manual_page();
  for (const Command& command : commands()) {
    CAPTURE(command.name);
    const std::string chapter = chapter_of(page, command.name);
    REQUIRE(!chapter.empty());
    for (const Option& option : command.options) {
      CAPTURE(option.name);
      CHECK(chapter.find(hyphens(option.name)) != std::string::npos);
    }
    for (const Exit& each : command.exits) {
      CHECK(chapter.find(fmt::format(".B {}\n", to_int(each.code))) != std::string::npos);
    }
    CHECK(chapter.find(".B 70\n") != std::string::npos);
  }
}

TEST_CASE("no line of the manual page is a request by accident") {
  const std::string page = manual_page();
  std::size_t begin = 0;
  while (begin < page.size()) {
    const std::size_t end = page.find('\n', begin);
    const std::string line = page.substr(begin, end - begin);
    CAPTURE(line);
    CHECK(!line.starts_with('\''));
    if (line.starts_with('.')) {
      const std::string request = line.substr(1, line.find(' ') - 1);
      CHECK(std::string("TH SH SS TP PP B I nf fi").find(request) != std::string::npos);
    }
    begin = end + 1;
  }
}

}  // namespace epwise::cli
