#pragma once

#include <cstddef>
#include <functional>

namespace epwise::cli {

/// Runs `work(0)` … `work(count - 1)` on at most `threads` threads; with one thread or one piece of
/// work in this thread and without making any. `work` must not throw; results go into slots by
/// index, so that their order does not depend on scheduling.
void run_parallel(std::size_t count, int threads, const std::function<void(std::size_t)>& work);

/// Threads for `count` files when nobody says -j: one for a few files, at most 8.
int default_threads(std::size_t count);

}  // namespace epwise::cli
