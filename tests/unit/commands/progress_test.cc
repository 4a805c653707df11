#include "ui/progress.h"

#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "commands/advise/advising.h"

using epwise::cli::Progress;
using epwise::cli::progress_text;

TEST_CASE("a line of progress names the time left") {
  CHECK(progress_text("fixing", 0, 40, 3) == "fixing: 0 of 40 files");
  CHECK(progress_text("fixing", 12, 40, 6) == "fixing: 12 of 40 files, 14 s left");
  CHECK(progress_text("fixing", 1, 400, 6) == "fixing: 1 of 400 files, 40 min left");
  CHECK(progress_text("fixing", 40, 40, 6) == "fixing: 40 of 40 files");
}

TEST_CASE("a short run says nothing, a long one says little and cleans up") {
  double now = 100;
  const auto clock = [&now] { return now; };
  std::ostringstream out;
  {
    Progress progress(&out, "fixing", 4, clock);
    now += 0.9;
    progress.advance();
    CHECK(out.str().empty());
    now += 0.2;
    progress.advance();
    CHECK(out.str() == "\r\x1b[Kfixing: 2 of 4 files, 2 s left");
    now += 0.1;
    progress.advance();
    CHECK(out.str() == "\r\x1b[Kfixing: 2 of 4 files, 2 s left");
    now += 0.2;
    progress.advance();
  }
  CHECK(out.str() == "\r\x1b[Kfixing: 2 of 4 files, 2 s left\r\x1b[Kfixing: 4 of 4 files\r\x1b[K");
  Progress nowhere(nullptr, "fixing", 1, clock);
  now += 10;
  nowhere.advance();
}

TEST_CASE("a search draws a bar with the time left, and takes it away") {
  CHECK(epwise::cli::search_text(1500, 3000, 2.3) ==
        "searching [##########..........] 1500 of up to 3000 combinations, up to 3 s left");
  CHECK(epwise::cli::search_text(4000, 3000, -1) ==
        "searching [####################] 4000 of up to 4000 combinations, up to 0 s left");
  double now = 10;
  const auto clock = [&now] { return now; };
  std::ostringstream out;
  {
    epwise::cli::SearchProgress progress(&out, 1000, clock);
    now += 0.4;
    progress.tell(100);
    CHECK(out.str().empty());
    now += 0.6;
    progress.tell(250);
    CHECK(
        out.str() ==
        "\r\x1b[Ksearching [#####...............] 250 of up to 1000 combinations, up to 3 s left");
  }
  CHECK(out.str().ends_with("\r\x1b[K"));
  epwise::cli::SearchProgress nowhere(nullptr, 1000, clock);
  now += 10;
  nowhere.tell(1);
}
