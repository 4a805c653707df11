#include "yaml/table_compiler.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace epwise::yaml {

text::SourceFile read_source(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw std::runtime_error("cannot read " + path);
  }
  return {path, std::string{std::istreambuf_iterator<char>(in), {}}};
}

std::vector<std::string> yaml_files(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".yaml") {
      paths.push_back(entry.path().generic_string());
    }
  }
  std::ranges::sort(paths);
  return paths;
}

bool without_problems(const std::vector<text::Diagnostic>& problems, const std::string& nameless) {
  for (const text::Diagnostic& problem : problems) {
    const text::Position at = problem.mark.start();
    const std::string& name = problem.mark.file == nullptr ? nameless : problem.mark.file->name();
    std::fprintf(stderr,
                 "%s:%d:%d: error: %s%s%s\n",
                 name.c_str(),
                 at.line,
                 at.column,
                 problem.message.c_str(),
                 problem.help.empty() ? "" : "; ",
                 problem.help.c_str());
  }
  return problems.empty();
}

void write_table(const std::string& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  if (!out.flush()) {
    throw std::runtime_error("cannot write " + path);
  }
}

int table_compiler(const std::vector<std::string>& arguments,
                   std::size_t count,
                   std::string_view usage,
                   bool (*run)(const std::vector<std::string>& arguments)) {
  if (arguments.size() != count) {
    std::fprintf(stderr, "usage: %s\n", std::string(usage).c_str());
    return 2;
  }
  try {
    return run(arguments) ? 0 : 1;
  } catch (const std::exception& error) {
    const std::string name(usage.substr(0, usage.find(' ')));
    std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
    return 1;
  }
}

}  // namespace epwise::yaml
