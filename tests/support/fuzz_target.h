#pragma once
/// The function of a fuzz target, in a program of its own with libFuzzer, together with the others without it.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace epwise::support {

using FuzzFunction = int (*)(const std::uint8_t* data, std::size_t size);

/// The targets of this program by name; seed_runner.cc calls them.
inline std::map<std::string, FuzzFunction>& fuzz_targets() {
  static std::map<std::string, FuzzFunction> targets;
  return targets;
}

struct FuzzTarget {
  FuzzTarget(const char* name, FuzzFunction function) { fuzz_targets().emplace(name, function); }
};

}  // namespace epwise::support

/// FUZZ_TARGET(yaml) { …; return 0; }: the body reads `size` bytes at `data` and aborts where a promise is broken.
#ifdef EPWISE_LIBFUZZER
#define FUZZ_TARGET(name) \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
#else
#define FUZZ_TARGET(name)                                                         \
  static int fuzz_##name(const std::uint8_t* data, std::size_t size);             \
  static const epwise::support::FuzzTarget registered_##name(#name, fuzz_##name); \
  static int fuzz_##name(const std::uint8_t* data, std::size_t size)
#endif
