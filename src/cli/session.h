#pragma once

#include <iosfwd>

#include "cli/interruption.h"
#include "cli/terminal.h"
#include "hw/device.h"
#include "world/files.h"
#include "world/programs.h"

namespace epwise::cli {

/// The world as a command sees it. Results go to `out`, everything said about the run to `err`.
struct Session {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  world::Files& files;
  const world::Variables& variables;
  Terminal terminal;
  const hw::DeviceProbe& devices;
  Interruption* interruption = nullptr;       // none in most tests
  const world::Programs* programs = nullptr;  // null pointer: none can be started
};

}  // namespace epwise::cli
