#include "cli/parallel.h"

#include <vector>

#include <doctest/doctest.h>

using epwise::cli::default_threads;
using epwise::cli::run_parallel;

TEST_CASE("Every piece of work is done once, with any number of threads") {
  for (const int threads : {-1, 0, 1, 2, 7, 500}) {
    for (const std::size_t count : {0U, 1U, 2U, 100U}) {
      std::vector<int> done(count, 0);
      run_parallel(count, threads, [&done](std::size_t i) { ++done[i]; });
      CHECK(done == std::vector<int>(count, 1));
    }
  }
}

TEST_CASE("A few files are not worth a thread") {
  CHECK(default_threads(0) == 1);
  CHECK(default_threads(1) == 1);
  CHECK(default_threads(15) == 1);
  CHECK(default_threads(100'000) >= 1);
  CHECK(default_threads(100'000) <= 8);
}
