#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/os/files.h"
#include "base/os/regular_files.h"

namespace epwise::os {

/// The real file system. Messages contain paths as given, with the system's reason: "cannot read
/// recipes/a.yaml: permission denied".
class DiskFiles : public Files, public PartWriter, public RegularReader {
 public:
  /// Is called when a file with `others` more names (hard links) was replaced: they keep the old
  /// content. Writing into the file itself would change them too, but could be cut short.
  using OnParted = std::function<void(const std::string& path, std::size_t others)>;

  explicit DiskFiles(OnParted on_parted = {}) : on_parted_(std::move(on_parted)) {}

  std::string read(const std::string& path,
                   std::size_t limit = static_cast<std::size_t>(-2)) const override;
  std::string read_regular(const std::string& path, std::size_t limit) const override;
  bool is_file(const std::string& path) const override;
  bool is_directory(const std::string& path) const override;
  std::vector<std::string> list(const std::string& directory) const override;
  std::optional<std::string> canonical(const std::string& path) const override;

  /// Device and inode.
  std::string identity(const std::string& path) const override;
  std::string stamp(const std::string& path) const override;

  /// Preserves mode, owner and group of a replaced file, and a symbolic link: its target is
  /// replaced. A file that nobody may write is not replaced, not even by root.
  void write_atomically(const std::string& path, const std::string& content) override;
  bool create_atomically(const std::string& path, const std::string& content) override;
  bool replace_atomically(const std::string& path,
                          const std::string& before,
                          const std::string& content) override;
  void write_in_parts(const std::string& path, const Parts& parts) override;

 private:
  template <class Place>
  int replace(const std::string& path, const Parts& parts, const Place& place) const;

  OnParted on_parted_;
};

/// Removes the temporary file that is being written, if there is one; for a handler of a signal that
/// ends the program.
void remove_unfinished() noexcept;

}  // namespace epwise::os
