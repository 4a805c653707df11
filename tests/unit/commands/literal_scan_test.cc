// The lines of a log that may contain a literal: none is missed, ordinary lines are passed over.

#include "commands/explain/literal_scan.h"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace epwise::audit {

namespace {

constexpr std::string_view kOrdinary =
    "[2026-11-02 10:00:00] iteration 8/ 100 | elapsed time per iteration (ms): 1200.5 | global "
    "batch "
    "size: 256 | lm loss: 2.1E+00 | grad norm: 1.2 | number of nan iterations: 0 |\n";

std::vector<int> numbers(std::string_view log, const LiteralScan& scan) {
  std::vector<int> found;
  FoundLines lines(log, scan);
  for (FoundLines::Line line; lines.next(line);) {
    found.push_back(line.number);
  }
  return found;
}

}  // namespace

TEST_CASE("lines with a literal are found wherever it stands in them") {
  const LiteralScan scan({"out of memory", "watchdog"}, LiteralScan::Words::exact);
  CHECK(numbers("a\nb watchdog\nc\nCUDA out of memory\nwatchdog", scan) == std::vector{2, 4, 5});
  CHECK(numbers("watchdo\nout of memor\nout of  memory\n", scan).empty());
  CHECK(numbers("", scan).empty());
  CHECK(numbers("\n\n", scan).empty());
}

TEST_CASE("case and runs of blanks do not matter where the literal is plain") {
  const LiteralScan plain({"CUDA Out of Memory"}, LiteralScan::Words::plain);
  CHECK(numbers("cuda  OUT\tof memory\ncuda out ofmemory\ncudaout of memory\n", plain) ==
        std::vector{1});
  const LiteralScan exact({"CUDA Out of Memory"}, LiteralScan::Words::exact);
  CHECK(numbers("cuda out of memory\n", exact).empty());
}

TEST_CASE("a literal of less than four letters makes every line one to look at") {
  const LiteralScan scan({"nan"}, LiteralScan::Words::plain);
  CHECK(numbers("a\nb\n", scan) == std::vector{1, 2});
}

TEST_CASE("lines of a training log are passed over") {
  const LiteralScan scan({"Traceback (most recent call last)",
                          "Watchdog caught collective operation timeout",
                          "Error"},
                         LiteralScan::Words::exact);
  std::string log;
  for (int i = 0; i < 100; ++i) {
    log += kOrdinary;
  }
  CHECK(scan.next(log, 0) == std::string_view::npos);
  CHECK(numbers(log + "RuntimeError: x\n", scan) == std::vector{101});
}

TEST_CASE("lines are counted by their ends") {
  CHECK(count_lines("") == 0);
  CHECK(count_lines("a\nb") == 1);
  CHECK(count_lines("a\nb\n\n") == 3);
}

}  // namespace epwise::audit
