#include "cli/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace epwise::cli {

void run_parallel(std::size_t count, int threads, const std::function<void(std::size_t)>& work) {
  const std::size_t width = std::min(count, static_cast<std::size_t>(std::max(threads, 1)));
  std::atomic<std::size_t> next{0};
  const auto take = [&next, count, &work] {
    for (std::size_t i = next++; i < count; i = next++) {
      work(i);
    }
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < width; ++i) {
    others.emplace_back(take);
  }
  take();
  for (std::thread& other : others) {
    other.join();
  }
}

int default_threads(std::size_t count) {
  constexpr std::size_t kFilesPerThread =
      8;  // below that, starting a thread costs more than it saves
  constexpr std::size_t kMost = 8;
  const std::size_t cores = std::max(std::thread::hardware_concurrency(), 1U);
  return static_cast<int>(
      std::clamp<std::size_t>(count / kFilesPerThread, 1, std::min(cores, kMost)));
}

}  // namespace epwise::cli
