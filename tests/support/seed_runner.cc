// Stands in for libFuzzer where it isn't linked: runs a fuzz target on every file of a folder.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

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

}  // namespace

int main(int count, char** words) {
  try {
    return count == 2 ? run_seeds(words[1]) : 2;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}
