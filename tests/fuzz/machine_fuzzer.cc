/// What a machine says of itself. The first byte chooses: variables, NAME=VALUE on lines ('v'), or
/// files that packages and drivers leave, each behind a line `%% PATH` ('f'). What must hold: a
/// launch is whole or a problem, a size of a job comes with where it was found, and what is found
/// has a name and a place.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "calibrate/ranks/launch.h"
#include "hw/machine.h"
#include "support/fuzz_target.h"
#include "support/machine_files.h"
#include "support/require.h"
#include "ui/terminal.h"

namespace {

using epwise::support::require;

std::string_view first_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

void inspect(const epwise::support::MachineFiles& files,
             const epwise::support::MemoryVariables& variables) {
  const auto machine =
      epwise::hw::inspect(files, variables, epwise::support::FixedProbe(1, "NVIDIA H100", 9.0));
  for (const auto& component : machine.components) {
    require(!component.name.empty() && !component.where.empty());
  }
  require(!machine.job_gpus || (*machine.job_gpus > 0 && !machine.job_where.empty()));
}

void read_variables(std::string_view text) {
  std::map<std::string, std::string> values;
  while (!text.empty()) {
    const std::string_view line = first_line(text);
    const std::size_t equals = std::min(line.find('='), line.size());
    values[std::string(line.substr(0, equals))] = line.substr(std::min(equals + 1, line.size()));
  }
  for (const char* list : {"SLURM_JOB_NODELIST", "SLURM_STEP_NODELIST"}) {
    static_cast<void>(epwise::calibrate::first_host(values[list]));
  }
  const epwise::support::MemoryVariables variables(values);
  const auto reading = epwise::calibrate::read_launch(variables);
  const auto& launch = reading.launch;
  require(!reading.problem.empty() || (0 <= launch.rank && launch.rank < launch.size));
  const auto job = epwise::hw::find_job_size(variables);
  require(!job.gpus || (*job.gpus > 0 && !job.where.empty()));
  const int width = epwise::cli::text_width({}, variables);
  require(40 <= width && width <= 200);
  static_cast<void>(epwise::cli::wants_unicode(variables));
  inspect({}, variables);
}

void read_files(std::string_view text) {
  constexpr std::string_view kMark = "%% ";
  epwise::support::MachineFiles files;
  std::string path;
  std::string content;
  const auto put = [&] {
    if (!path.empty() && path.find('\0') == std::string::npos) {
      files.put(path, content);
    }
    content.clear();
  };
  while (!text.empty()) {
    const std::string_view line = first_line(text);
    if (line.starts_with(kMark)) {
      put();
      path = line.substr(kMark.size());
    } else {
      content += std::string(line) + '\n';
    }
  }
  put();
  inspect(files, epwise::support::variables({{"PATH", "/usr/bin"}, {"VIRTUAL_ENV", "/v"}}));
}

}  // namespace

FUZZ_TARGET(machine) {
  constexpr std::size_t kMost = 1U << 13U;
  if (size == 0 || size > kMost) {
    return 0;
  }
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 'f') {
    read_files(text);
  } else {
    read_variables(text);
  }
  return 0;
}
