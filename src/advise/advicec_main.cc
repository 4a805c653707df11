/// advicec MOVES GUIDANCE MODELS OUT: checks what `epwise advise` knows and writes the table that
/// the build embeds. A problem is printed as file:line:column: error: …, as compilers do, and stops
/// the build.

#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "advise/moves.h"

namespace {

using epwise::text::Diagnostic;
using epwise::text::SourceFile;

SourceFile read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw std::runtime_error("cannot read " + path);
  }
  return SourceFile(path, std::string{std::istreambuf_iterator<char>(in), {}});
}

int run(const std::vector<std::string>& paths, const std::string& out) {
  const SourceFile moves = read(paths[0]);
  const SourceFile guidance = read(paths[1]);
  const SourceFile models = read(paths[2]);
  std::vector<Diagnostic> problems;
  auto knowledge = epwise::advise::read_knowledge(moves, guidance, problems);
  knowledge.models = epwise::advise::read_models(models, problems);
  for (const Diagnostic& problem : problems) {
    const auto at = problem.mark.start();
    std::fprintf(stderr,
                 "%s:%d:%d: error: %s\n",
                 problem.mark.file->name().c_str(),
                 at.line,
                 at.column,
                 problem.message.c_str());
  }
  if (!problems.empty()) {
    return 1;
  }
  std::ofstream written(out, std::ios::binary);
  written << epwise::advise::pack(knowledge);
  if (!written.flush()) {
    throw std::runtime_error("cannot write " + out);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 5) {
      std::fputs("usage: advicec MOVES GUIDANCE MODELS OUT\n", stderr);
      return 2;
    }
    return run({argv[1], argv[2], argv[3]}, argv[4]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "advicec: %s\n", error.what());
    return 1;
  }
}
