#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>

namespace epwise::support {

/// A file of the checkout; tests run in its top folder.
inline std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE_MESSAGE(in, path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A recipe of examples/seeds/: seed("q30-ep16-off").
inline std::string seed(const std::string& name) {
  return file_text("examples/seeds/" + name + ".yaml");
}

}  // namespace epwise::support
