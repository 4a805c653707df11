#pragma once

#include "base/os/files.h"
#include "hw/device.h"

namespace epwise::session {

/// What a session asks of the process around it. All three outlive the session.
struct Host {
  const os::Files& files;
  const os::Variables& variables;
  const hw::DeviceProbe& devices;
};

}  // namespace epwise::session
