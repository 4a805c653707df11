// Stands in for libFuzzer where it isn't linked: runs a fuzz target on every file of a folder, or on random bytes:
//   fuzz_structure FOLDER
//   fuzz_structure --random COUNT SEED      the last line names the round that failed: its seed is SEED + round

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <string>
#include <vector>

#include "base/os/disk_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

int run_seeds(const std::string& folder) {
  const epwise::os::DiskFiles files;
  int seeds = 0;
  for (const std::string& name : files.list(folder)) {
    const std::string bytes = files.read(folder + "/" + name);
    std::fprintf(stderr, "%s\n", name.c_str());  // the last line names the seed that crashed
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    ++seeds;
  }
  std::printf("%d seeds\n", seeds);
  return seeds > 0 ? 0 : 1;
}

int run_random(unsigned long count, unsigned long seed) {
  constexpr std::size_t kMost = 64;
  for (unsigned long round = 0; round < count; ++round) {
    std::mt19937_64 random(seed + round);
    std::vector<std::uint8_t> bytes(random() % kMost + 1);
    for (std::uint8_t& byte : bytes) {
      byte = static_cast<std::uint8_t>(random());
    }
    std::fprintf(stderr, "\r%lu", round);
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  std::printf("%lu rounds\n", count);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    if (count == 4 && std::string(words[1]) == "--random") {
      return run_random(std::strtoul(words[2], nullptr, 10), std::strtoul(words[3], nullptr, 10));
    }
    return count == 2 ? run_seeds(words[1]) : 2;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}
