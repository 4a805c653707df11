#pragma once

#include <string>
#include <vector>

#include "commands/simulate/simulation.h"
#include "session/options/arguments.h"
#include "ui/console.h"

namespace epwise::cli {

/// A measured step and the recipe that ran it.
struct StepEntry {
  SimulatedJob job;
  double seconds = 0;
};

/// Learns from measured steps and writes the calibration file at `path`; prints each step before
/// and after, and what the steps say of the machine. Throws os::MissingError for steps that cannot
/// be learnt from, os::UsageError for steps of different GPUs.
void learn_steps(Console& console,
                 const Arguments& arguments,
                 const std::vector<StepEntry>& entries,
                 const std::string& path);

}  // namespace epwise::cli
