#pragma once

#include <optional>
#include <string>

#include "base/os/files.h"

namespace epwise::os {

/// The environment with which this process was started.
class ProcessVariables : public Variables {
 public:
  std::optional<std::string> get(const std::string& name) const override;
  std::vector<std::string> names(std::string_view start) const override;
};

}  // namespace epwise::os
