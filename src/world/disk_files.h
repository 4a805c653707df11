#pragma once

#include <optional>
#include <string>
#include <vector>

#include "world/files.h"
#include "world/parts.h"

namespace epwise::world {

/// The real file system. Messages name paths as they were given, with the system's reason:
/// "cannot read recipes/a.yaml: permission denied".
class DiskFiles : public Files, public PartWriter {
 public:
  std::string read(const std::string& path,
                   std::size_t limit = static_cast<std::size_t>(-2)) const override;
  bool is_file(const std::string& path) const override;
  bool is_directory(const std::string& path) const override;
  std::vector<std::string> list(const std::string& directory) const override;
  std::optional<std::string> canonical(const std::string& path) const override;

  /// Keeps the mode of a file that is replaced, and a symbolic link: its target is replaced.
  void write_atomically(const std::string& path, const std::string& content) override;
  void write_in_parts(const std::string& path, const Parts& parts) override;
};

}  // namespace epwise::world
