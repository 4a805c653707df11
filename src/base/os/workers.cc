#include "base/os/workers.h"

#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/os/crash_guard.h"

namespace epwise::os {

void run_workers(std::size_t count, const std::function<void(std::size_t worker)>& work) {
  std::mutex mutex;
  std::exception_ptr failure;
  const auto run = [&](std::size_t worker) {
    try {
      work(worker);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      failure = failure == nullptr ? std::current_exception() : failure;
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(count);
  std::size_t started = count == 0 ? 0 : 1;  // the first runs here
  try {
    for (; started < count; ++started) {
      threads.emplace_back([&run, started] {
        const CrashStack stack;
        run(started);
      });
    }
  } catch (const std::system_error&) {
    // No thread can be created: `started` and those after it run here.
  } catch (const std::bad_alloc&) {
    // No memory for one.
  }
  if (count > 0) {
    run(0);
  }
  for (std::size_t worker = started; worker < count; ++worker) {
    run(worker);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  if (failure != nullptr) {
    std::rethrow_exception(failure);
  }
}

}  // namespace epwise::os
