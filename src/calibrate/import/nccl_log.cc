#include "calibrate/import/nccl_log.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "calibrate/import/log_line.h"

namespace epwise::calibrate {

namespace {

/// Which collective nccl-tests ran: its text says so in newer releases, the file's name often does.
std::string operation_of(const text::SourceFile& file) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kNames = {
      {{"alltoall", "alltoall"},
       {"all_gather", "allgather"},
       {"allgather", "allgather"},
       {"reduce_scatter", "reducescatter"},
       {"reducescatter", "reducescatter"},
       {"sendrecv", "sendrecv"},
       {"send_recv", "sendrecv"}}};
  for (const std::string_view where : {file.bytes(), std::string_view(file.name())}) {
    for (const auto& [name, kind] : kNames) {
      if (where.find(name) != std::string_view::npos) {
        return std::string(kind);
      }
    }
  }
  return {};
}

}  // namespace

/// Lines of sizes and times: size count type redop root time algbw busbw wrong …
std::optional<std::vector<ImportRow>> nccl_rows(const text::SourceFile& file,
                                                const ImportSettings& settings,
                                                std::vector<text::Diagnostic>& problems) {
  const std::string operation = operation_of(file);
  std::set<std::string, std::less<>> hosts;
  int ranks = 0;
  std::vector<ImportRow> rows;
  constexpr std::size_t kTime = 5;
  for (int number = 1; number <= file.line_count(); ++number) {
    const std::vector<std::string_view> words = words_of(file.line(number));
    if (words.size() > 2 && words[0] == "#" && words[1] == "Rank") {
      ++ranks;
      const auto on = std::find(words.begin(), words.end(), "on");
      if (on != words.end() && on + 1 != words.end()) {
        hosts.emplace(*(on + 1));
      }
    }
    if (words.size() > kTime && is_number(words[0]) && is_number(words[1]) &&
        is_number(words[kTime]) && words[0] != "0") {
      rows.push_back({{"kind", operation},
                      {"bytes", std::string(words[0])},
                      {"us", std::string(words[kTime])}});
    }
  }
  ranks = ranks == 0 ? settings.ranks : ranks;
  if (operation.empty() || ranks < 2) {
    problems.push_back(log_trouble(
        file,
        operation.empty() ? "it doesn't say which collective it timed"
                          : "it doesn't say how many ranks there were",
        operation.empty() ? "put alltoall, all_gather, reduce_scatter or sendrecv into its "
                            "name"
                          : "say it with --gpus"));
    return std::nullopt;
  }
  for (ImportRow& row : rows) {
    row["ranks"] = std::to_string(ranks);
    row["nodes"] = std::to_string(std::max<std::size_t>(hosts.size(), 1));
  }
  return rows;
}

}  // namespace epwise::calibrate
