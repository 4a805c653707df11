/// rulec RULES HWPROFILES OUT: checks everything under rules/ and hwprofiles/ and writes the tables
/// embedded by the build. A problem stops the build.

#include <algorithm>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/embedded/archive.h"
#include "base/embedded/embedded.h"
#include "hw/profile.h"
#include "lint/compiler.h"
#include "lint/knowledge_archive.h"
#include "recipe/vocabulary/vocabulary_yaml.h"
#include "yaml/table_compiler.h"

namespace {

/// The vocabulary compiled in this run replaces the embedded one, which does not exist yet.
std::string& vocabulary_bytes() {
  static std::string bytes;
  return bytes;
}

}  // namespace

namespace epwise::embedded {

std::string_view compiled_vocabulary() {
  return vocabulary_bytes();
}

}  // namespace epwise::embedded

namespace {

namespace yaml = epwise::yaml;
using epwise::lint::KnowledgeFile;
using Problems = std::vector<epwise::text::Diagnostic>;

std::vector<KnowledgeFile> read_folder(const std::string& folder) {
  std::vector<KnowledgeFile> files;
  for (const std::string& path : yaml::yaml_files(folder)) {
    files.push_back({path.substr(folder.size() + 1),
                     std::make_shared<epwise::text::SourceFile>(yaml::read_source(path))});
  }
  return files;
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

std::string compile_profiles(const std::string& folder, Problems& problems) {
  const auto files = read_folder(folder);
  std::deque<std::string> packed;  // what the views in `embedded` point to
  std::vector<epwise::embedded::EmbeddedFile> embedded;
  for (const auto& file : files) {
    if (file.path.find('/') != std::string::npos) {
      continue;  // the laws' tables, which lawc compiles
    }
    if (const auto profile = epwise::hw::read_profile(*file.source, problems)) {
      packed.push_back(epwise::hw::pack_profile(*profile));
      embedded.push_back({file.path, packed.back()});
    }
  }
  epwise::embedded::Writer writer;
  writer(embedded);
  return writer.bytes();
}

bool run(const std::vector<std::string>& paths) {
  Problems problems;
  const auto files = read_folder(paths[0]);
  vocabulary_bytes() = compile_vocabulary(files, problems);
  if (!yaml::without_problems(problems, paths[0])) {
    return false;
  }
  auto knowledge = epwise::lint::compile(files, problems);
  const auto hardware = compile_profiles(paths[1], problems);
  if (!yaml::without_problems(problems, paths[0])) {
    return false;
  }
  yaml::write_table(paths[2] + "/rules.bin", epwise::lint::pack(knowledge));
  yaml::write_table(paths[2] + "/vocabulary.bin", vocabulary_bytes());
  yaml::write_table(paths[2] + "/profiles.bin", hardware);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  return yaml::table_compiler({argv + 1, argv + argc}, 3, "rulec RULES HWPROFILES OUT", run);
}
