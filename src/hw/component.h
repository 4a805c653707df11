#pragma once

#include <string>

namespace epwise::hw {

/// A piece of software in the words of --stack: te, torch, cuda, nccl, mcore, mlm, bridge, deepep,
/// hybridep, python, driver, ngc.
struct Component {
  std::string name;
  std::string version;  // "2.14.0"; "installed": there, version not known; "none": not there
  std::string where;    // the file or variable that says so

  bool operator==(const Component&) const = default;
};

/// Something that was looked for and not found, with what the user can do.
struct Missing {
  std::string name;    // "te", "hw", "gpus"
  std::string reason;  // "no transformer_engine in the folders of /usr/bin/python3"
  std::string remedy;  // "--stack te=2.14.0"

  bool operator==(const Missing&) const = default;
};

}  // namespace epwise::hw
