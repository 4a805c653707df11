// Stands in for libFuzzer where it isn't linked: runs a fuzz target on every file of a folder, or on random bytes:
//   fuzz structure FOLDER
//   fuzz structure --random COUNT SEED      the last line names the round that failed: its seed is SEED + round

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <string>
#include <vector>

#include "base/os/disk_files.h"
#include "support/fuzz_target.h"

namespace {

using epwise::support::FuzzFunction;

int run_seeds(FuzzFunction target, const std::string& folder) {
  const epwise::os::DiskFiles files;
  int seeds = 0;
  for (const std::string& name : files.list(folder)) {
    const std::string bytes = files.read(folder + "/" + name);
    std::fprintf(stderr, "%s\n", name.c_str());  // the last line names the seed that crashed
    target(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    ++seeds;
  }
  std::printf("%d seeds\n", seeds);
  return seeds > 0 ? 0 : 1;
}

int run_random(FuzzFunction target, unsigned long count, unsigned long seed) {
  constexpr std::size_t kMost = 64;
  for (unsigned long round = 0; round < count; ++round) {
    std::mt19937_64 random(seed + round);
    std::vector<std::uint8_t> bytes(random() % kMost + 1);
    for (std::uint8_t& byte : bytes) {
      byte = static_cast<std::uint8_t>(random());
    }
    std::fprintf(stderr, "\r%lu", round);
    target(bytes.data(), bytes.size());
  }
  std::printf("%lu rounds\n", count);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const auto& targets = epwise::support::fuzz_targets();
  const auto target = count < 3 ? targets.end() : targets.find(words[1]);
  if (target == targets.end()) {
    std::fprintf(stderr, "usage: fuzz TARGET FOLDER | fuzz TARGET --random COUNT SEED; targets:");
    for (const auto& [name, function] : targets) {
      std::fprintf(stderr, " %s", name.c_str());
    }
    std::fprintf(stderr, "\n");
    return 2;
  }
  try {
    if (count == 5 && std::string(words[2]) == "--random") {
      return run_random(
          target->second, std::strtoul(words[3], nullptr, 10), std::strtoul(words[4], nullptr, 10));
    }
    return count == 3 ? run_seeds(target->second, words[2]) : 2;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}
