/// stepc CONSTANTS OUT: checks the table of the step model's constants and writes the one that the
/// build embeds. A problem is printed as file:line:column: error: …, as compilers do, and stops the
/// build.

#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/constants.h"

namespace {

using epwise::text::Diagnostic;
using epwise::text::SourceFile;

int run(const std::string& path, const std::string& out) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw std::runtime_error("cannot read " + path);
  }
  const SourceFile file(path, std::string{std::istreambuf_iterator<char>(in), {}});
  std::vector<Diagnostic> problems;
  const auto table = epwise::sim::read_constants(file, problems);
  for (const Diagnostic& problem : problems) {
    const auto at = problem.mark.start();
    std::fprintf(
        stderr, "%s:%d:%d: error: %s\n", path.c_str(), at.line, at.column, problem.message.c_str());
  }
  if (!problems.empty()) {
    return 1;
  }
  std::ofstream written(out, std::ios::binary);
  written << epwise::sim::pack_constants(table);
  if (!written.flush()) {
    throw std::runtime_error("cannot write " + out);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3) {
      std::fputs("usage: stepc CONSTANTS OUT\n", stderr);
      return 2;
    }
    return run(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stepc: %s\n", error.what());
    return 1;
  }
}
