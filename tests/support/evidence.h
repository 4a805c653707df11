// Data that some tests compare with and that the repository does not contain (tests/README.md, "Data that is not in the
// repository").
#ifndef EPWISE_TESTS_SUPPORT_EVIDENCE_H_
#define EPWISE_TESTS_SUPPORT_EVIDENCE_H_

#include <cstdlib>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

namespace epwise::support {

/// The path of a file or folder of that data: in the directory that EPWISE_EVIDENCE names, by default `shared` next to the
/// checkout.
inline std::string evidence(const std::string& name) {
  const char* const directory = std::getenv("EPWISE_EVIDENCE");
  const bool given = directory != nullptr && *directory != '\0';
  return (given ? std::string(directory) : std::string("../shared")) + "/" + name;
}

/// True if that file or folder exists. Otherwise prints the words by which ctest reports the test as skipped
/// (SKIP_REGULAR_EXPRESSION in tests/CMakeLists.txt); the test must then return without checking anything.
inline bool has_evidence(const std::string& name) {
  const bool there = std::filesystem::exists(evidence(name));
  if (!there) {
    MESSAGE("skipped: no data at " << evidence(name));
  }
  return there;
}

}  // namespace epwise::support

#endif  // EPWISE_TESTS_SUPPORT_EVIDENCE_H_
