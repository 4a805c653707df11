#pragma once

#include <string>
#include <vector>

#include "recipe/recipe.h"
#include "repair/change.h"

namespace epwise::repair {

/// Changes flags, overrides and exported variables of a launch script where its text holds them
/// letter by letter; every other byte stays. `recipe` is what the script says now.
///   {"--expert-model-parallel-size", {"8"}}   replaces the value, or adds the flag behind the last
///                                             one that the script writes out
///   {"--moe-grouped-gemm", nullopt}           removes the flag, and its line where nothing is left
///   {"--num-expert", nullopt, "--num-experts"}   another name for the same value
///   {"$NCCL_DEBUG", {"INFO"}}                 an export
/// What is put together of variables, or stands in another file, is an obstacle: one sentence in
/// `obstacle`, and the text comes back as it was.
std::string edited_script(const recipe::Recipe& recipe,
                          const std::vector<WordEdit>& edits,
                          std::string& obstacle);

}  // namespace epwise::repair
