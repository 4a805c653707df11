/// Recorded runs. The first byte chooses: a file that says it is an export of Nsight Systems ('d'),
/// kernels and ranges in numbers, nine bytes each ('k'), or figures as the user writes them ('y').
/// What must hold: figures are finite and no share is beyond one, or there is a reason for none.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "advise/measurement.h"
#include "advise/profile_database.h"
#include "advise/run_profile.h"
#include "base/os/files.h"
#include "support/fuzz_target.h"
#include "support/require.h"

namespace {

using epwise::advise::RunProfile;
using epwise::support::require;

void check(const RunProfile& profile) {
  const auto figures = epwise::advise::figures_of(profile);
  if (!figures.problem.empty()) {
    return;
  }
  require(figures.steps > 0 && std::isfinite(figures.step) && figures.step > 0);
  for (const double share : {figures.exposed, figures.products, figures.idle}) {
    require(share >= 0 && share <= 1 + 1e-9);
  }
  static_cast<void>(epwise::advise::measured_of(figures));
}

/// A file that no other process sees and that is gone with its descriptor.
class Unnamed {
 public:
  explicit Unnamed(std::string_view bytes) : file_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    require(file_ >= 0 &&
            ::write(file_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }

  Unnamed(const Unnamed&) = delete;
  Unnamed& operator=(const Unnamed&) = delete;

  ~Unnamed() { ::close(file_); }

  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

void read_database(std::string_view bytes) {
  const Unnamed file(bytes);
  try {
    check(epwise::advise::read_profile_database(file.path()));
  } catch (const epwise::os::MissingError& error) {
    require(!std::string_view(error.what()).empty());
  }
}

void read_numbers(std::string_view bytes) {
  RunProfile profile;
  profile.names = {"ncclDevKernel_SendRecv", "deep_ep::dispatch", "nvjet_tst_128x256", "other"};
  constexpr std::size_t kEntry = 1 + sizeof(std::int64_t);
  constexpr std::int64_t kFurthest = std::int64_t{1} << 61U;  // as the reader of databases
  std::int64_t start = 0;
  for (; bytes.size() >= kEntry; bytes.remove_prefix(kEntry)) {
    std::int64_t number = 0;
    std::memcpy(&number, bytes.data() + 1, sizeof number);
    const auto kind = static_cast<unsigned char>(bytes.front());
    if (number < start || number > kFurthest) {
      continue;  // in order, as the reader of databases gives them
    }
    constexpr unsigned kRange = 128;
    if (kind < kRange) {
      profile.kernels.push_back({start, number, kind % 4, (kind >> 2U) % 4});
    } else {
      profile.ranges.push_back({start, number, "iteration " + std::to_string(kind)});
    }
    start = kind % 2 == 0 ? number : start;
  }
  check(profile);
}

void read_figures(std::string_view bytes) {
  const epwise::text::SourceFile file("measured.yaml", std::string(bytes));
  std::vector<epwise::text::Diagnostic> problems;
  static_cast<void>(epwise::advise::read_measured(file, problems));
  for (const auto& problem : problems) {
    require(!problem.message.empty());
  }
}

}  // namespace

FUZZ_TARGET(database) {
  if (size == 0) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 'k':
      read_numbers(bytes);
      break;
    case 'y':
      read_figures(bytes);
      break;
    default:
      read_database(bytes);
      break;
  }
  return 0;
}
