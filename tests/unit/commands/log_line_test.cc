#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "commands/explain/crash_log.h"

namespace epwise::audit {
namespace {

TEST_CASE("what launchers put in front of a line is taken off") {
  struct Row {
    const char* line;
    const char* text;
    const char* channel;
    int rank;
    bool stamped;
  };

  for (const auto& row : std::vector<Row>{
           {"plain", "plain", "", -1, false},
           {"  indented", "  indented", "", -1, false},
           {"[rank3]:   File", "  File", "[rank3]", 3, false},
           {"[rank3]: x", "x", "[rank3]", 3, false},
           {"[default0]:x", "x", "[default0]", -1, false},
           {"[default0]:[rank8]: x", "x", "[default0][rank8]", 8, false},
           {"12: x", "x", "12:", 12, false},
           {" 3:   File", "  File", "3:", 3, false},
           {"[1,5]<stderr>:x", "x", "[1,5]", 5, false},
           {"(Worker pid=7, ip=10.0.0.1) x", "x", "(Worker pid=7, ip=10.0.0.1)", -1, false},
           {"2026-11-02 10:11:12,345 x", "x", "", -1, true},
           {"[2026-11-02 10:11:12] [rank1]: x", "x", "[rank1]", 1, true},
           {"2026-11-02T10:11:12.5Z stderr F x", "x", "", -1, true},
           {"ERROR:root:x", "x", "", -1, true},
           {"12:30 is no rank", "12:30 is no rank", "", -1, false},
           {"[rankless]: x", "[rankless]: x", "", -1, false},
           {"", "", "", -1, false},
       }) {
    CAPTURE(row.line);
    const auto read = read_line(row.line);
    CHECK(read.text == row.text);
    CHECK(read.channel == row.channel);
    CHECK(read.rank == row.rank);
    CHECK(read.stamped == row.stamped);
  }
}

TEST_CASE("colours go, even where one is cut off") {
  CHECK(without_colours("\x1b[31mred\x1b[0m \x1b[Kline") == "red line");
  CHECK(without_colours("cut \x1b[") == "cut ");
}

TEST_CASE("lines of loggers are known") {
  for (const char* line :
       {"[W1121 10:00:00 x", "E1121 10:00:00 x", "WARNING:x", "srun: error: x"}) {
    CAPTURE(line);
    CHECK(is_of_logger(read_line(line)));
  }
  CHECK_FALSE(is_of_logger(read_line("Expert ranks: 8")));
}

}  // namespace
}  // namespace epwise::audit
