#include "shell/scheduler_variables.h"

#include <algorithm>
#include <array>

namespace epwise::shell {

bool is_set_by_scheduler(std::string_view name) {
  constexpr std::array<std::string_view, 7> kPrefixes = {
      "SLURM_", "PET_", "MLP_", "OMPI_", "PMI_", "PMIX_", "ARNOLD_"};
  constexpr std::array<std::string_view, 5> kNames = {
      "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "NODE_RANK"};
  return std::any_of(kPrefixes.begin(),
                     kPrefixes.end(),
                     [name](std::string_view prefix) { return name.starts_with(prefix); }) ||
         std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace epwise::shell
