/// Recorded runs. The first byte chooses: an export of Nsight Systems made of known tables, columns and
/// values (1), a file that says it is one ('d'), kernels and ranges in numbers, nine bytes each ('k'),
/// or figures as the user writes them ('y').
/// What must hold: figures are finite and no share is beyond one, or there is a reason for none.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <sqlite3.h>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "advise/measurement.h"
#include "advise/profile_database.h"
#include "advise/run_profile.h"
#include "base/os/files.h"
#include "support/choices.h"
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

/// Tables of an export, each with some of its columns and rows of values of any type.
void make_table(epwise::support::Choices& choices, sqlite3* database) {
  struct Table {
    std::string_view name;
    std::array<std::string_view, 7> columns;
  };

  constexpr std::array<Table, 5> kTables = {
      {{"StringIds", {"id", "value"}},
       {"CUPTI_ACTIVITY_KIND_KERNEL",
        {"start", "end", "deviceId", "globalPid", "demangledName", "shortName", "streamId"}},
       {"NVTX_EVENTS", {"start", "end", "text", "textId", "globalTid"}},
       {"TARGET_INFO_GPU", {"id", "name"}},
       {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", {"start", "end"}}}};
  constexpr std::array<std::string_view, 24> kCells = {"0",
                                                       "1",
                                                       "2",
                                                       "3",
                                                       "1000",
                                                       "2000",
                                                       "3000000",
                                                       "-5",
                                                       "16777216",
                                                       "9223372036854775807",
                                                       "-9223372036854775808",
                                                       "4611686018427387904",
                                                       "NULL",
                                                       "1.5",
                                                       "9e999",
                                                       "'iteration 1'",
                                                       "'step 2'",
                                                       "'ncclDevKernel_SendRecv'",
                                                       "'nvjet_tst_128x256'",
                                                       "''",
                                                       "'12'",
                                                       "x'00ff'",
                                                       "'NVIDIA H100 80GB HBM3'",
                                                       "char(0)"};
  const Table& table = choices.of(kTables);
  const std::size_t left_out = choices.below(2 * table.columns.size());
  std::vector<std::string_view> columns;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (!table.columns[i].empty() && i != left_out) {
      columns.push_back(table.columns[i]);
    }
  }
  std::string text = "CREATE TABLE " + std::string(table.name) + "(";
  for (const std::string_view column : columns) {
    text += (column == columns.front() ? "\"" : ", \"") + std::string(column) + "\"";
  }
  text += ");";
  for (std::size_t row = choices.below(6); row > 0 && !columns.empty(); --row) {
    text += "INSERT INTO " + std::string(table.name) + " VALUES(";
    for (std::size_t i = 0; i < columns.size(); ++i) {
      text += (i > 0 ? ", " : "") + std::string(choices.of(kCells));
    }
    text += ");";
  }
  // A table that exists already is refused, which changes nothing.
  sqlite3_exec(database, text.c_str(), nullptr, nullptr, nullptr);
}

void read_made(const std::uint8_t* data, std::size_t size) {
  epwise::support::Choices choices(data, size);
  sqlite3* database = nullptr;
  require(sqlite3_open(":memory:", &database) == SQLITE_OK);
  do {
    make_table(choices, database);
  } while (!choices.done());
  sqlite3_int64 length = 0;
  unsigned char* bytes = sqlite3_serialize(database, "main", &length, 0);
  const std::string file = bytes == nullptr ? std::string()
                                            : std::string(reinterpret_cast<const char*>(bytes),
                                                          static_cast<std::size_t>(length));
  sqlite3_free(bytes);
  sqlite3_close(database);
  read_database(file);
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
  if (epwise::support::is_structured(data, size)) {
    read_made(data + 1, size - 1);
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
