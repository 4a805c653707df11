#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lint/knowledge.h"
#include "world/files.h"

namespace epwise::audit {

/// What became of the upstream lines that a rule refers to.
enum class Ground : std::uint8_t {
  unchanged,  // the same lines at the same place
  moved,      // the same lines elsewhere in the file
  changed,    // the file is there, the lines are not
  gone,       // neither the file nor, in it, the function
  unknown,    // no fingerprint was made for this reference
};

std::string_view to_string(Ground ground);

struct Drift {
  const lint::Rule* rule = nullptr;
  const lint::Reference* reference = nullptr;
  Ground ground = Ground::unknown;
  std::string_view symbol;  // the function that holds the lines
  int shift = 0;            // moved: by how many lines
};

struct DriftReport {
  std::string repository;     // whose sources these are: "NVIDIA/Megatron-LM"
  std::vector<Drift> drifts;  // by rule, in the order of its references
};

/// Compares the rules with the sources of one upstream repository in a folder. `repository` empty:
/// the one that most of the references' files are found of. Throws world::MissingError when there
/// is no such folder, world::UsageError when it holds no file that a rule refers to.
DriftReport drift(const world::Files& files,
                  const std::string& folder,
                  std::string repository,
                  const lint::Knowledge& knowledge);

/// "owner/name@commit path:lines", as rules and fragments name a place.
std::string place_of(const lint::Reference& reference);

const lint::Fragment* find_fragment(const lint::Knowledge& knowledge,
                                    const lint::Reference& reference);

}  // namespace epwise::audit
