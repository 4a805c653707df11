#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/os/files.h"
#include "base/os/regular_files.h"

namespace epwise::os {

/// Passes everything on to another file system: the base of those that change or record a part.
class ForwardingFiles : public Files, public PartWriter, public RegularReader {
 public:
  explicit ForwardingFiles(Files& below) : below_(below) {}

  std::string read(const std::string& path,
                   std::size_t limit = static_cast<std::size_t>(-2)) const override {
    return below_.read(path, limit);
  }

  std::string read_regular(const std::string& path, std::size_t limit) const override {
    return os::read_regular(below_, path, limit);
  }

  bool is_file(const std::string& path) const override { return below_.is_file(path); }

  bool is_directory(const std::string& path) const override { return below_.is_directory(path); }

  std::vector<std::string> list(const std::string& directory) const override {
    return below_.list(directory);
  }

  std::optional<std::string> canonical(const std::string& path) const override {
    return below_.canonical(path);
  }

  std::string identity(const std::string& path) const override { return below_.identity(path); }

  std::string stamp(const std::string& path) const override { return below_.stamp(path); }

  void write_atomically(const std::string& path, const std::string& content) override {
    below_.write_atomically(path, content);
  }

  bool create_atomically(const std::string& path, const std::string& content) override {
    return below_.create_atomically(path, content);
  }

  bool replace_atomically(const std::string& path,
                          const std::string& before,
                          const std::string& content) override {
    return below_.replace_atomically(path, before, content);
  }

  void write_in_parts(const std::string& path, const Parts& parts) override {
    write_parts(below_, path, parts);
  }

 protected:
  const Files& underlying() const { return below_; }

 private:
  Files& below_;
};

}  // namespace epwise::os
