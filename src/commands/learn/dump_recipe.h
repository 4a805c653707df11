#pragma once

#include <string>

#include "calibrate/import/training_log.h"

namespace epwise::cli {

/// The recipe that a run dumped at the head of its log: Megatron-Bridge's configuration as it
/// stands, Megatron-LM's arguments as flags where they differ from their defaults in the version
/// `version`; "" without a dump. The vocabulary is the padded one, if the dump has no other.
std::string recipe_of_dump(const calibrate::LoggedRun& run, const std::string& version);

/// The number of GPUs that the dump names (`world_size`); 0: none.
int gpus_of_dump(const calibrate::LoggedRun& run);

}  // namespace epwise::cli
