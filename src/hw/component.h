#pragma once

#include <string>

namespace epwise::hw {

/// A software component as named in --stack: te, torch, cuda, nccl, mcore, mlm, bridge, deepep,
/// hybridep, python, driver, ngc.
struct Component {
  std::string name;
  std::string version;  // "2.14.0"; "installed": present, version unknown; "none": not present
  std::string where;    // the file or variable that shows it

  bool operator==(const Component&) const = default;
};

/// Something that was searched for and not found, with what the user can do.
struct Missing {
  std::string name;    // "te", "hw", "gpus"
  std::string reason;  // "no transformer_engine in the directories of /usr/bin/python3"
  std::string remedy;  // "--stack te=2.14.0"

  bool operator==(const Missing&) const = default;
};

}  // namespace epwise::hw
