#pragma once

#include <optional>
#include <string>

#include "world/files.h"

namespace epwise::world {

/// The environment that this process was started with.
class ProcessVariables : public Variables {
 public:
  std::optional<std::string> get(const std::string& name) const override;
};

}  // namespace epwise::world
