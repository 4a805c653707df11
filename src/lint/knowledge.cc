#include "lint/knowledge.h"

#include <algorithm>

#include "base/embedded/embedded.h"
#include "lint/compiler.h"
#include "lint/knowledge_archive.h"

namespace epwise::lint {

namespace {

/// Rule files of a directory, recursively, sorted by path.
void collect(const os::Files& files,
             const std::string& directory,
             const std::string& inside,
             std::vector<KnowledgeFile>& all) {
  for (const auto& name : files.list(directory)) {
    const auto path = directory + "/" + name;
    if (files.is_directory(path)) {
      collect(files, path, inside + name + "/", all);
    } else if (name.ends_with(".yaml")) {
      all.push_back({inside + name, std::make_shared<text::SourceFile>(path, files.read(path))});
    }
  }
}

std::string problems_text(const std::vector<text::Diagnostic>& problems) {
  std::string all;
  for (const auto& problem : problems) {
    const auto at = problem.mark.start();
    const auto place = problem.mark.nowhere()
                           ? std::string()
                           : problem.mark.file->name() + ":" + std::to_string(at.line) + ":" +
                                 std::to_string(at.column) + ": ";
    all += (all.empty() ? "" : "\n") + place + problem.message;
  }
  return all;
}

}  // namespace

const Rule* Knowledge::find(std::string_view id_or_code) const {
  const auto matches = [&](const Rule& rule) {
    return rule.id == id_or_code || rule.code == id_or_code ||
           std::ranges::find(rule.aliases, id_or_code) != rule.aliases.end();
  };
  const auto found = std::ranges::find_if(rules, matches);
  return found == rules.end() ? nullptr : &*found;
}

std::size_t count_rules() {
  embedded::Reader reader(embedded::compiled_rules());
  std::uint32_t count = 0;
  reader(count);
  return count;
}

Knowledge load_knowledge(const os::Files* files, const std::string& extra) {
  Knowledge knowledge = unpack(embedded::compiled_rules());
  if (extra.empty() || files == nullptr) {
    return knowledge;
  }
  if (!files->is_directory(extra)) {
    throw os::UsageError("--rules " + extra + ": no such directory");
  }
  std::vector<KnowledgeFile> sources;
  collect(*files, extra, "", sources);
  if (sources.empty()) {
    throw os::UsageError("--rules " + extra + ": the directory contains no .yaml files");
  }
  std::vector<text::Diagnostic> problems;
  add_rules(knowledge, sources, problems);
  if (!problems.empty()) {
    throw os::UsageError(problems_text(problems));
  }
  return knowledge;
}

}  // namespace epwise::lint
