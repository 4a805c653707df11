#pragma once

#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "app/app.h"
#include "hw/device.h"
#include "support/memory_files.h"

namespace epwise::support {

/// A machine as a test wants it.
class GivenDevices : public hw::DeviceProbe {
 public:
  hw::Devices given;

  hw::Devices devices() const override { return given; }
};

/// One call of the program, in memory.
struct AppRun {
  MemoryFiles files;
  std::map<std::string, std::string> variables = {};
  std::string input = {};
  cli::Terminal terminal = {};
  GivenDevices devices = {};
  cli::Interruption* interruption = nullptr;
  const os::Programs* programs = nullptr;

  // What it did.
  int code = -1;
  std::string out = {};
  std::string err = {};

  /// Returns the exit code.
  int run(const std::vector<std::string>& words) {
    std::istringstream in(input);
    std::ostringstream out_stream;
    std::ostringstream err_stream;
    const MemoryVariables environment(variables);
    cli::App app({in,
                  out_stream,
                  err_stream,
                  files,
                  environment,
                  terminal,
                  devices,
                  interruption,
                  programs});
    code = app.run(words);
    out = out_stream.str();
    err = err_stream.str();
    return code;
  }
};

}  // namespace epwise::support
