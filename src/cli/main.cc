#include <csignal>
#include <iostream>
#include <string>
#include <unistd.h>
#include <vector>

#include "cli/app.h"
#include "cli/exit_code.h"
#include "cli/interruption.h"
#include "cli/terminal.h"
#include "hw/driver_probe.h"
#include "world/disk_files.h"
#include "world/process_variables.h"
#include "world/programs.h"

namespace {

// What a signal handler reads has to outlive everything.
epwise::cli::Interruption interruption;

/// Without unwinding: nothing that is being written is under its final name yet.
void stop(int) {
  if (interruption.awaited && !interruption.wanted.exchange(true)) {
    return;
  }
  _exit(epwise::cli::to_int(epwise::cli::ExitCode::interrupted));
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGINT, stop);
  std::signal(SIGPIPE, SIG_DFL);  // `epwise lint … | head` ends without a word, whoever started us
  std::ios::sync_with_stdio(false);
  epwise::world::DiskFiles files;
  const epwise::world::ProcessVariables variables;
  const epwise::hw::DriverProbe devices;
  const epwise::world::ProcessPrograms programs;
  epwise::cli::App app({std::cin,
                        std::cout,
                        std::cerr,
                        files,
                        variables,
                        epwise::cli::find_terminal(),
                        devices,
                        &interruption,
                        &programs});
  return app.run(std::vector<std::string>(argv + 1, argv + argc));
}
