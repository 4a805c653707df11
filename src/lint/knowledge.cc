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

/// The rule files of a directory, or the one that a file is.
std::vector<KnowledgeFile> rule_files(const os::Files& files, const std::string& place) {
  std::vector<KnowledgeFile> sources;
  if (files.is_directory(place)) {
    collect(files, place, "", sources);
    return sources;
  }
  const std::string whole = files.canonical(place).value_or(place);
  const std::size_t name = whole.rfind('/');
  const std::size_t topic = name == 0 ? 0 : whole.rfind('/', name - 1) + 1;
  sources.push_back(
      {whole.substr(topic), std::make_shared<text::SourceFile>(place, files.read(place))});
  return sources;
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
  if (!files->is_directory(extra) && !files->is_file(extra)) {
    throw os::UsageError(extra + ": no such directory of rules");
  }
  const std::vector<KnowledgeFile> sources = rule_files(*files, extra);
  if (sources.empty()) {
    throw os::UsageError(extra + ": the directory contains no rules (.yaml files)");
  }
  std::vector<text::Diagnostic> problems;
  add_rules(knowledge, sources, problems);
  if (!problems.empty()) {
    throw os::UsageError(problems_text(problems));
  }
  return knowledge;
}

std::vector<const Rule*> rules_of(const Knowledge& knowledge,
                                  const os::Files& files,
                                  const std::string& extra) {
  std::vector<const Rule*> rules;
  for (const KnowledgeFile& file : rule_files(files, extra)) {
    const std::string_view id = std::string_view(file.path).substr(0, file.path.rfind('.'));
    const auto found = std::ranges::find(knowledge.rules, id, &Rule::id);
    if (found != knowledge.rules.end()) {
      rules.push_back(&*found);
    }
  }
  return rules;
}

}  // namespace epwise::lint
