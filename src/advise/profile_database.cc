#include "advise/profile_database.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <sqlite3.h>
#include <utility>

#include <fmt/format.h>

#include "advise/run_profile.h"
#include "base/os/files.h"

namespace epwise::advise {

namespace {

using os::MissingError;

constexpr std::int64_t kMostKernels = 4'000'000;
constexpr std::int64_t kMostRanges = 200'000;
// ns, 73 years: differences do not overflow
constexpr std::int64_t kFurthest = std::int64_t{1} << 61U;
constexpr const char* kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }

  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

/// The path as a URI that SQLite opens without looking for journals: exports are not written to.
std::string uri_of(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '.' || c == '-' || c == '_';
    uri += plain ? std::string(1, c)
                 : fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return uri + "?mode=ro&immutable=1";
}

/// One query, row by row.
class Rows {
 public:
  Rows(sqlite3* database, const std::string& path, const std::string& query)
      : database_(database),
        path_(path) {
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v2(database, query.c_str(), -1, &statement, nullptr);
    statement_.reset(statement);
    check(code == SQLITE_OK);
  }

  bool next() {
    const int code = sqlite3_step(statement_.get());
    check(code == SQLITE_ROW || code == SQLITE_DONE);
    return code == SQLITE_ROW;
  }

  bool is_number(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_INTEGER;
  }

  /// Two timestamps in order, within a plausible range.
  bool is_span(int first, int second) const {
    return is_number(first) && is_number(second) && number(first) >= -kFurthest &&
           number(first) <= number(second) && number(second) <= kFurthest;
  }

  std::int64_t number(int column) const { return sqlite3_column_int64(statement_.get(), column); }

  std::string text(int column) const {
    const unsigned char* bytes = sqlite3_column_text(statement_.get(), column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
    return bytes == nullptr ? std::string()
                            : std::string(reinterpret_cast<const char*>(bytes), size);
  }

 private:
  void check(bool good) const {
    if (!good) {
      throw MissingError(fmt::format("{} cannot be read as a database: {}; export it again",
                                     path_,
                                     sqlite3_errmsg(database_)));
    }
  }

  sqlite3* database_;
  const std::string& path_;
  std::unique_ptr<sqlite3_stmt, Close> statement_;
};

class DatabaseReader {
 public:
  explicit DatabaseReader(const std::string& path) : path_(path) {
    constexpr int kLongest = 1 << 20;
    sqlite3* database = nullptr;
    const int code = sqlite3_open_v2(
        uri_of(path).c_str(), &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
    database_.reset(database);
    if (code != SQLITE_OK) {
      throw MissingError(fmt::format("{} cannot be opened as a database: {}",
                                     path,
                                     database == nullptr ? "no memory" : sqlite3_errmsg(database)));
    }
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kLongest);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  }

  RunProfile read() {
    const std::set<std::string> tables = all_tables();
    if (!tables.contains("StringIds")) {
      throw MissingError(
          fmt::format("{} is not an Nsight Systems export: table StringIds is missing; create one "
                      "with `nsys export --type sqlite`",
                      path_));
    }
    RunProfile profile;
    profile.hidden_graphs = tables.contains("CUPTI_ACTIVITY_KIND_GRAPH_TRACE") &&
                            any_row("CUPTI_ACTIVITY_KIND_GRAPH_TRACE");
    if (tables.contains(kKernels)) {
      read_kernels(profile);
    }
    if (tables.contains("NVTX_EVENTS")) {
      read_ranges(profile);
    }
    if (tables.contains("TARGET_INFO_GPU")) {
      read_device(profile);
    }
    return profile;
  }

 private:
  Rows query(const std::string& text) { return {database_.get(), path_, text}; }

  std::set<std::string> all_tables() {
    std::set<std::string> tables;
    Rows rows = query("SELECT name FROM sqlite_master WHERE type = 'table'");
    while (rows.next()) {
      tables.insert(rows.text(0));
    }
    return tables;
  }

  std::set<std::string> columns(const std::string& table) {
    std::set<std::string> names;
    Rows rows = query(fmt::format("PRAGMA table_info({})", table));
    while (rows.next()) {
      names.insert(rows.text(1));
    }
    return names;
  }

  bool any_row(const std::string& table) {
    return query(fmt::format("SELECT 1 FROM {} LIMIT 1", table)).next();
  }

  void need(const std::set<std::string>& columns,
            const std::string& table,
            std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      if (!columns.contains(name)) {
        throw MissingError(
            fmt::format("{}: table {} has no column {}; if another version of Nsight Systems wrote "
                        "it, export it again with a newer nsys",
                        path_,
                        table,
                        name));
      }
    }
  }

  void read_kernels(RunProfile& profile) {
    const std::set<std::string> known = columns(kKernels);
    need(known, kKernels, {"start", "end", "deviceId"});
    const bool long_names = known.contains("demangledName");
    if (!long_names) {
      need(known, kKernels, {"shortName"});
    }
    has_process_ = known.contains("globalPid");
    Rows first =
        query(fmt::format("SELECT {}, deviceId, COUNT(*) FROM {} GROUP BY 1, 2 "
                          "ORDER BY 2, 1 LIMIT 1",
                          has_process_ ? "globalPid" : "0",
                          kKernels));
    if (!first.next()) {
      return;
    }
    process_ = first.number(0);
    device_ = first.number(1);
    if (first.number(2) > kMostKernels) {
      throw MissingError(
          fmt::format("{} holds {} kernels of one GPU, more than {}: record only a few steps (nsys "
                      "profile --capture-range=cudaProfilerApi)",
                      path_,
                      first.number(2),
                      kMostKernels));
    }
    const std::string where =
        fmt::format("WHERE deviceId = {}{}",
                    device_,
                    has_process_ ? fmt::format(" AND globalPid = {}", process_) : std::string());
    const char* name = long_names ? "demangledName" : "shortName";
    const std::map<std::int64_t, std::int32_t> places = read_names(name, where, profile);
    Rows rows = query(fmt::format("SELECT start, end, {}, {} FROM {} {} ORDER BY start",
                                  name,
                                  known.contains("streamId") ? "streamId" : "0",
                                  kKernels,
                                  where));
    while (rows.next()) {
      const auto place = places.find(rows.number(2));
      if (rows.is_span(0, 1) && place != places.end()) {
        profile.kernels.push_back({rows.number(0),
                                   rows.number(1),
                                   place->second,
                                   static_cast<std::int32_t>(rows.number(3))});
      }
    }
  }

  /// Ids of StringIds → indices into the profile's names.
  std::map<std::int64_t, std::int32_t> read_names(const char* column,
                                                  const std::string& where,
                                                  RunProfile& profile) {
    std::map<std::int64_t, std::int32_t> places;
    Rows rows = query(fmt::format(
        "SELECT id, value FROM StringIds WHERE id IN (SELECT DISTINCT {} FROM {} {}) ORDER BY id",
        column,
        kKernels,
        where));
    while (rows.next()) {
      places.emplace(rows.number(0), static_cast<std::int32_t>(profile.names.size()));
      profile.names.push_back(rows.text(1));
    }
    return places;
  }

  void read_ranges(RunProfile& profile) {
    constexpr int kThreadBits = 24;
    const std::set<std::string> known = columns("NVTX_EVENTS");
    need(known, "NVTX_EVENTS", {"start", "end", "text"});
    const std::string text = known.contains("textId")
                                 ? "COALESCE(text, (SELECT value FROM StringIds WHERE id = textId))"
                                 : "text";
    const std::string process =
        has_process_ && known.contains("globalTid")
            ? fmt::format(" AND globalTid >> {0} = {1} >> {0}", kThreadBits, process_)
            : "";
    Rows rows = query(fmt::format(
        "SELECT start, end, {} AS words FROM NVTX_EVENTS WHERE end IS NOT NULL AND words IS NOT "
        "NULL{} ORDER BY start",
        text,
        process));
    while (rows.next()) {
      std::string words = rows.text(2);
      if (rows.is_span(0, 1) && rows.number(1) > rows.number(0) && names_step(words) &&
          static_cast<std::int64_t>(profile.ranges.size()) < kMostRanges) {
        profile.ranges.push_back({rows.number(0), rows.number(1), std::move(words)});
      }
    }
  }

  void read_device(RunProfile& profile) {
    const std::set<std::string> known = columns("TARGET_INFO_GPU");
    if (!known.contains("name")) {
      return;
    }
    Rows rows = query(fmt::format("SELECT name FROM TARGET_INFO_GPU{} LIMIT 1",
                                  known.contains("id") ? " ORDER BY id" : ""));
    if (rows.next()) {
      profile.device = rows.text(0);
    }
  }

  const std::string& path_;
  std::unique_ptr<sqlite3, Close> database_;
  bool has_process_ = false;
  std::int64_t process_ = 0;
  std::int64_t device_ = 0;
};

}  // namespace

bool is_database(std::string_view first_bytes) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  return first_bytes.starts_with(kMagic);
}

RunProfile read_profile_database(const std::string& path) {
  return DatabaseReader(path).read();
}

}  // namespace epwise::advise
