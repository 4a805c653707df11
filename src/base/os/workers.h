#pragma once

#include <cstddef>
#include <functional>

namespace epwise::os {

/// Runs `work(0)` … `work(count - 1)`, each on a thread of its own, the first on this one. Where
/// the system has no thread left, this one does the work too, after its own. Ends when all have
/// ended, and then throws what the first of them threw that threw anything, such as std::bad_alloc.
void run_workers(std::size_t count, const std::function<void(std::size_t worker)>& work);

}  // namespace epwise::os
