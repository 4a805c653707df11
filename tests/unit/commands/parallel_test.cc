#include "ui/parallel.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

using epwise::cli::default_threads;
using epwise::cli::run_in_order;
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

TEST_CASE("Results are taken in order, one at a time, and few wait") {
  for (const int threads : {1, 2, 7}) {
    for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
      std::vector<std::size_t> taken;
      std::atomic<std::size_t> made{0};
      std::size_t most_ahead = 0;
      run_in_order<std::size_t>(
          count,
          threads,
          [&made](std::size_t i) {
            ++made;
            return 3 * i;
          },
          [&](std::size_t i, std::size_t result) {
            CHECK(result == 3 * i);
            most_ahead = std::max(most_ahead, made - taken.size());
            taken.push_back(i);
          });
      std::vector<std::size_t> wanted(count);
      std::iota(wanted.begin(), wanted.end(), 0U);
      CHECK(taken == wanted);
      CHECK(most_ahead <= static_cast<std::size_t>(16 * threads));
    }
  }
}

TEST_CASE("What a piece of work throws ends the run, and nobody waits for its result") {
  for (const int threads : {1, 3, 8}) {
    CHECK_THROWS_AS(run_parallel(100,
                                 threads,
                                 [](std::size_t i) {
                                   if (i == 7) {
                                     throw std::bad_alloc();
                                   }
                                 }),
                    std::bad_alloc);
    CHECK_THROWS_AS(run_in_order<int>(
                        1000,
                        threads,
                        [](std::size_t i) { return i == 7 ? throw std::bad_alloc() : 0; },
                        [](std::size_t, int) {}),
                    std::bad_alloc);
  }
}

TEST_CASE("What taking throws ends the run") {
  for (const int threads : {1, 3}) {
    std::size_t taken = 0;
    CHECK_THROWS_AS(run_in_order<int>(
                        1000,
                        threads,
                        [](std::size_t) { return 0; },
                        [&taken](std::size_t i, int) {
                          if (i == 5) {
                            throw std::runtime_error("no");
                          }
                          ++taken;
                        }),
                    std::runtime_error);
    CHECK(taken == 5);
  }
}
