/// Any bytes as a baseline: refused with a reason, or read, written and read again as it was.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "session/baseline.h"
#include "support/fuzz_target.h"
#include "support/memory_files.h"
#include "support/require.h"

namespace {

using epwise::support::require;

std::string written(const epwise::session::Baseline& baseline) {
  return epwise::session::Baseline::to_text(baseline.reason(),
                                            {baseline.entries().begin(), baseline.entries().end()});
}

}  // namespace

FUZZ_TARGET(baseline) {
  using epwise::session::Baseline;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  epwise::support::MemoryFiles files({{"known.yaml", bytes}});
  try {
    const Baseline baseline = Baseline::read(files, "known.yaml");
    const std::string text = written(baseline);
    files.put("known.yaml", text);
    const Baseline again = Baseline::read(files, "known.yaml");
    require(again.entries() == baseline.entries() && written(again) == text);
  } catch (const epwise::os::UsageError& error) {
    const std::string_view said = error.what();
    require(files.read("known.yaml") == bytes);  // what was written must be read
    require(said.find("known.yaml") != std::string_view::npos);
  }
  return 0;
}
