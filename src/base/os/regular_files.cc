#include "base/os/regular_files.h"

namespace epwise::os {

std::string read_regular(const Files& files, const std::string& path, std::size_t limit) {
  const auto* const careful = dynamic_cast<const RegularReader*>(&files);
  return careful == nullptr ? files.read(path, limit) : careful->read_regular(path, limit);
}

}  // namespace epwise::os
