#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "calibrate/sampling/sampler.h"
#include "calibrate/work/backend.h"
#include "cli/arguments.h"
#include "cli/session.h"
#include "cost/table.h"

namespace epwise::cli {

/// What a calibration measures on, with the clock that its rounds go by.
struct OpenedDevice {
  std::unique_ptr<calibrate::Backend> backend;
  calibrate::Clock clock;
  std::string hw;      // the profile of the device; empty: none describes it
  std::string reason;  // why there is no backend
  double spent = 0;    // s of the budget that opening it took
};

/// By --backend, --replay, --hw, --quick, --timeout and --seed. `ranks` and `laws` outlive it.
OpenedDevice open_device(Session& session,
                         const Arguments& arguments,
                         calibrate::Ranks& ranks,
                         const cost::Table& laws);

/// What can be done where there is no GPU, in a sentence.
std::string_view way_without_device();

/// --seed; 1 when it is not given. Throws world::UsageError.
std::uint64_t seed_of(const Arguments& arguments);

/// "grace" on ARM hosts, else "x86".
std::string_view host_kind();

}  // namespace epwise::cli
