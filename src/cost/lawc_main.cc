/// lawc LAWS OUT: checks the parameter tables under hwprofiles/costlaws/ and writes the one that
/// the build embeds. A problem is printed as file:line:column: error: …, as compilers do, and stops
/// the build.

#include <algorithm>
#include <cstdio>
#include <deque>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "cost/table.h"
#include "cost/table_entry.h"

namespace {

namespace fs = std::filesystem;
using epwise::cost::TableEntry;
using epwise::text::Diagnostic;
using epwise::text::SourceFile;

std::deque<SourceFile> read_folder(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".yaml") {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::deque<SourceFile> files;  // diagnostics point into them
  for (const fs::path& path : paths) {
    std::ifstream in(path, std::ios::binary);
    files.emplace_back(path.generic_string(), std::string{std::istreambuf_iterator<char>(in), {}});
  }
  return files;
}

void print(const Diagnostic& problem, const std::string& folder) {
  const auto at = problem.mark.start();
  const std::string& name = problem.mark.file == nullptr ? folder : problem.mark.file->name();
  std::fprintf(
      stderr, "%s:%d:%d: error: %s\n", name.c_str(), at.line, at.column, problem.message.c_str());
}

int run(const std::string& folder, const fs::path& out) {
  std::vector<Diagnostic> problems;
  std::vector<TableEntry> entries;
  const std::deque<SourceFile> files = read_folder(folder);
  for (const SourceFile& file : files) {
    for (TableEntry& entry : epwise::cost::read_entries(file, problems)) {
      entries.push_back(std::move(entry));
    }
  }
  if (problems.empty()) {
    epwise::cost::make_table(entries, problems);
  }
  for (const Diagnostic& problem : problems) {
    print(problem, folder);
  }
  if (!problems.empty()) {
    return 1;
  }
  std::ofstream file(out, std::ios::binary);
  file << epwise::cost::pack_entries(std::move(entries));
  if (!file.flush()) {
    throw std::runtime_error("cannot write " + out.generic_string());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3) {
      std::fputs("usage: lawc LAWS OUT\n", stderr);
      return 2;
    }
    return run(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lawc: %s\n", error.what());
    return 1;
  }
}
