#include <csignal>
#include <cstddef>
#include <iostream>
#include <string>
#include <unistd.h>
#include <vector>

#include <fmt/core.h>

#include "app/app.h"
#include "base/os/crash_guard.h"
#include "base/os/disk_files.h"
#include "base/os/process_variables.h"
#include "base/os/programs.h"
#include "hw/device.h"
#include "ui/console.h"
#include "ui/exit_code.h"
#include "ui/message_buffer.h"
#include "ui/terminal.h"

namespace {

// What a signal handler reads must outlive everything.
epwise::cli::Interruption interruption;

/// Without unwinding: files being written do not have their final names yet, and go.
void stop(int) {
  if (interruption.awaited && !interruption.wanted.exchange(true)) {
    return;
  }
  epwise::os::remove_unfinished();
  _exit(epwise::cli::to_int(epwise::cli::ExitCode::interrupted));
}

/// As it was typed, but for quotes.
std::string command_of(int argc, char** argv) {
  std::string command = "epwise";
  for (int i = 1; i < argc; ++i) {
    command.append(" ").append(argv[i]);
  }
  return command;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGINT, stop);
  std::signal(SIGPIPE, SIG_DFL);  // `epwise lint … | head` ends silently
  epwise::os::install_crash_guard(command_of(argc, argv),
                                  epwise::cli::to_int(epwise::cli::ExitCode::internal));
  std::ios::sync_with_stdio(false);
  const epwise::os::ProcessVariables variables;
  epwise::cli::MessageBuffer messages(std::cerr.rdbuf(), epwise::cli::wants_unicode(variables));
  std::ostream err(&messages);
  err.setf(std::ios::unitbuf);
  err.tie(&std::cout);  // results first, as with std::cerr
  epwise::os::DiskFiles files([&err](const std::string& path, std::size_t others) {
    err << fmt::format("epwise: {} is a new file now: its {} the old content\n",
                       path,
                       others == 1 ? "other name (hard link) keeps"
                                   : fmt::format("{} other names (hard links) keep", others));
  });
  const epwise::hw::DriverProbe devices;
  const epwise::os::ProcessPrograms programs;
  epwise::cli::App app({std::cin,
                        std::cout,
                        err,
                        files,
                        variables,
                        epwise::cli::find_terminal(),
                        devices,
                        &interruption,
                        &programs});
  return app.run(std::vector<std::string>(argv + 1, argv + argc));
}
