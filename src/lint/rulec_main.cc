/// rulec RULES HWPROFILES OUT: checks everything under rules/ and hwprofiles/ and writes the tables
/// that the build embeds. A problem is printed as file:line:column: error: …, as compilers do, and
/// stops the build.

#include <algorithm>
#include <cstdio>
#include <deque>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/archive.h"
#include "data/embedded.h"
#include "hw/profile.h"
#include "hw/profile_archive.h"
#include "lint/compiler.h"
#include "lint/knowledge_archive.h"
#include "recipe/vocabulary/yaml.h"

namespace {

/// The vocabulary compiled in this run stands in for the embedded one, which does not exist yet.
std::string& vocabulary_bytes() {
  static std::string bytes;
  return bytes;
}

}  // namespace

namespace epwise::data {

std::string_view compiled_rules() {
  return {};
}

std::string_view compiled_vocabulary() {
  return vocabulary_bytes();
}

std::span<const EmbeddedFile> hardware_profiles() {
  return {};
}

}  // namespace epwise::data

namespace {

namespace fs = std::filesystem;
using epwise::lint::KnowledgeFile;
using Problems = std::vector<epwise::text::Diagnostic>;

std::vector<KnowledgeFile> read_folder(const fs::path& folder) {
  std::vector<KnowledgeFile> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".yaml") {
      std::ifstream in(entry.path(), std::ios::binary);
      std::string bytes{std::istreambuf_iterator<char>(in), {}};
      files.push_back({entry.path().lexically_relative(folder).generic_string(),
                       std::make_shared<epwise::text::SourceFile>(entry.path().generic_string(),
                                                                  std::move(bytes))});
    }
  }
  std::ranges::sort(files, {}, &KnowledgeFile::path);
  return files;
}

void write(const fs::path& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  if (!out.flush()) {
    throw std::runtime_error("cannot write " + path.generic_string());
  }
}

int print(const Problems& problems) {
  for (const auto& problem : problems) {
    const auto at = problem.mark.start();
    const auto* file = problem.mark.file;
    std::fprintf(stderr,
                 "%s:%d:%d: error: %s%s%s\n",
                 file == nullptr ? "rules" : file->name().c_str(),
                 at.line,
                 at.column,
                 problem.message.c_str(),
                 problem.help.empty() ? "" : "; ",
                 problem.help.c_str());
  }
  return problems.empty() ? 0 : 1;
}

std::string compile_vocabulary(const std::vector<KnowledgeFile>& files, Problems& problems) {
  const auto find = [&](const char* path) -> const epwise::text::SourceFile& {
    const auto found = std::ranges::find(files, path, &KnowledgeFile::path);
    if (found == files.end()) {
      throw std::runtime_error(std::string("rules/") + path + " is missing");
    }
    return *found->source;
  };
  return epwise::recipe::compile_vocabulary(
      find("vocabulary/bridge.yaml"), find("vocabulary/mlm.yaml"), problems);
}

std::string compile_profiles(const fs::path& folder, Problems& problems) {
  const auto files = read_folder(folder);
  std::deque<std::string> packed;  // what the views in `embedded` point to
  std::vector<epwise::data::EmbeddedFile> embedded;
  for (const auto& file : files) {
    if (file.path.find('/') != std::string::npos) {
      continue;  // the laws' tables, which lawc compiles
    }
    if (const auto profile = epwise::hw::read_profile(*file.source, problems)) {
      packed.push_back(epwise::hw::pack_profile(*profile));
      embedded.push_back({file.path, packed.back()});
    }
  }
  epwise::data::Writer writer;
  writer(embedded);
  return writer.bytes();
}

int run(const fs::path& rules, const fs::path& profiles, const fs::path& out) {
  Problems problems;
  const auto files = read_folder(rules);
  vocabulary_bytes() = compile_vocabulary(files, problems);
  if (print(problems) != 0) {
    return 1;
  }
  auto knowledge = epwise::lint::compile(files, problems);
  const auto hardware = compile_profiles(profiles, problems);
  if (print(problems) != 0) {
    return 1;
  }
  epwise::data::Writer writer;
  transfer(writer, knowledge);
  write(out / "rules.bin", writer.bytes());
  write(out / "vocabulary.bin", vocabulary_bytes());
  write(out / "profiles.bin", hardware);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 4) {
      std::fputs("usage: rulec RULES HWPROFILES OUT\n", stderr);
      return 2;
    }
    return run(argv[1], argv[2], argv[3]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rulec: %s\n", error.what());
    return 1;
  }
}
