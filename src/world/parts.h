#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace epwise::world {

/// Hands a text over in parts: calls its argument with each of them.
using Parts = std::function<void(const std::function<void(std::string_view)>&)>;

/// A file system that can write a text which nobody holds as a whole. Other ones are given the
/// whole text.
class PartWriter {
 public:
  virtual ~PartWriter() = default;

  /// As Files::write_atomically; what `parts` throws is thrown here, and nothing was written.
  virtual void write_in_parts(const std::string& path, const Parts& parts) = 0;
};

class Files;

/// Writes in parts where `files` can, else as a whole.
void write_parts(Files& files, const std::string& path, const Parts& parts);

}  // namespace epwise::world
