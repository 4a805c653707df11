#pragma once

#include <cstddef>
#include <string>

#include "base/os/files.h"

namespace epwise::os {

/// A file system that recognises named pipes, devices and sockets, which no reader should open by
/// accident. In other file systems every file counts as regular.
class RegularReader {
 public:
  virtual ~RegularReader() = default;

  /// As Files::read; throws MissingError("cannot read x: it is a named pipe, not a regular file").
  /// Never waits for a writer.
  virtual std::string read_regular(const std::string& path, std::size_t limit) const = 0;
};

/// For a file that is not itself an input of this run: one that a script, a configuration or an
/// ignore file refers to, or that must be the same when it is read again.
std::string read_regular(const Files& files,
                         const std::string& path,
                         std::size_t limit = static_cast<std::size_t>(-2));

}  // namespace epwise::os
