#include "base/os/workers.h"

#include <fstream>
#include <new>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

using epwise::os::run_workers;

TEST_CASE("Each of the work is done once") {
  for (const std::size_t count : {0U, 1U, 2U, 20U}) {
    std::vector<int> done(count, 0);
    run_workers(count, [&done](std::size_t worker) { ++done[worker]; });
    CHECK(done == std::vector<int>(count, 1));
  }
}

TEST_CASE("What one throws is thrown when all have ended") {
  std::vector<int> done(20, 0);
  CHECK_THROWS_AS(run_workers(done.size(),
                              [&done](std::size_t worker) {
                                if (worker % 3 == 1) {
                                  throw std::bad_alloc();
                                }
                                ++done[worker];
                              }),
                  std::bad_alloc);
  CHECK(done[0] + done[1] + done[2] == 2);
}

#ifndef __SANITIZE_ADDRESS__  // which needs the address space itself
TEST_CASE("Without threads the work is done in this one") {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    // No address space is left for the stack of another thread, and those of ended ones are small.
    pthread_attr_t large;
    ::pthread_attr_init(&large);
    ::pthread_attr_setstacksize(&large, std::size_t{1} << 30);
    ::pthread_setattr_default_np(&large);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t most = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (rlim_t{1} << 20);
    const rlimit space = {most, most};
    ::setrlimit(RLIMIT_AS, &space);
    std::vector<int> done(5, 0);
    const pthread_t self = ::pthread_self();
    bool here = true;
    run_workers(done.size(), [&](std::size_t worker) {
      ++done[worker];
      here = here && ::pthread_equal(self, ::pthread_self()) != 0;
    });
    ::_exit(here && done == std::vector<int>(5, 1) ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
#endif
