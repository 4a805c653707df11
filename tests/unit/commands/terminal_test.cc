#include "ui/terminal.h"

#include <map>
#include <string>

#include <doctest/doctest.h>

#include "support/memory_files.h"

using epwise::cli::Terminal;
using epwise::cli::text_width;
using epwise::cli::wants_unicode;
using epwise::support::MemoryVariables;

namespace {

using Map = std::map<std::string, std::string>;

}  // namespace

TEST_CASE("The locale says whether more than ASCII can be printed") {
  CHECK(wants_unicode(MemoryVariables(Map{{"LANG", "en_US.UTF-8"}})));
  CHECK(wants_unicode(MemoryVariables(Map{{"LC_ALL", "C.utf8"}})));
  CHECK_FALSE(wants_unicode(MemoryVariables(Map{{"LC_ALL", "C"}, {"LANG", "en_US.UTF-8"}})));
  CHECK(wants_unicode(MemoryVariables(Map{{"LC_ALL", ""}, {"LANG", "en_US.UTF-8"}})));
  CHECK_FALSE(wants_unicode(MemoryVariables()));
}

TEST_CASE("The width comes from COLUMNS, else the terminal, and is kept readable") {
  Terminal terminal;
  CHECK(text_width(terminal, MemoryVariables()) == 100);
  terminal.columns = 120;
  CHECK(text_width(terminal, MemoryVariables()) == 120);
  CHECK(text_width(terminal, MemoryVariables(Map{{"COLUMNS", "80"}})) == 80);
  CHECK(text_width(terminal, MemoryVariables(Map{{"COLUMNS", "wide"}})) == 120);
  CHECK(text_width(terminal, MemoryVariables(Map{{"COLUMNS", "5"}})) == 40);
  terminal.columns = 1000;
  CHECK(text_width(terminal, MemoryVariables()) == 200);
}
