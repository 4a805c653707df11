// The vocabulary against files that the frameworks wrote or read themselves. They are not in
// the repository (tests/README.md); without them ctest reports these tests as skipped.
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/os/disk_files.h"
#include "support/evidence.h"
#include "support/vocabulary_table.h"
#include "yaml/parse.h"

namespace epwise::recipe {

namespace {

using support::evidence;
using support::has_evidence;
using support::vocabulary;

/// Every key of a mapping and of what lies below it, as dotted paths.
void add_paths(const yaml::Node& node, const std::string& prefix, std::vector<std::string>& paths) {
  for (const yaml::Entry& entry : node.entries) {
    paths.push_back(prefix + entry.key);
    add_paths(entry.value, paths.back() + ".", paths);
  }
}

/// The vocabulary for the classes that a dump names; dumps that name the same share it.
class ByClasses {
 public:
  explicit ByClasses(const Vocabulary& whole) : whole_(whole) {}

  const Vocabulary& of(const yaml::Node& dump) {
    std::map<std::string, std::string> targets;
    for (const yaml::Entry& section : dump.entries) {
      if (const yaml::Node* const target = section.value.find("_target_"); target != nullptr) {
        targets[section.key] = target->scalar;
      }
    }
    const auto [entry, added] = known_.try_emplace(targets, whole_);
    if (added) {
      for (const auto& each : targets) {
        CAPTURE(each.first);
        CAPTURE(each.second);
        CHECK(entry->second.use_class(each.first, each.second));
      }
    }
    return entry->second;
  }

 private:
  const Vocabulary& whole_;
  std::map<std::map<std::string, std::string>, Vocabulary> known_;
};

/// The flags that a Megatron-LM recipe passes.
std::set<std::string> flags_of(const os::Files& files, const std::string& path) {
  const text::SourceFile file(path, files.read(path));
  const yaml::Stream stream = yaml::parse(file);
  std::set<std::string> flags;
  REQUIRE(stream.documents.size() >= 1);
  const yaml::Node* const arguments = stream.documents.front().root.find("MODEL_ARGS");
  REQUIRE(arguments != nullptr);
  for (const yaml::Entry& entry : arguments->entries) {
    flags.insert(entry.key);
  }
  return flags;
}

}  // namespace

TEST_CASE("every key of every Megatron-Bridge dump is known in its version") {
  const os::DiskFiles files;
  if (!has_evidence("corpus/bridge")) {
    return;
  }
  for (const std::string& version : files.list(evidence("corpus/bridge"))) {
    const Vocabulary whole = vocabulary(Framework::bridge, version);
    REQUIRE(whole.exact());
    ByClasses by_classes(whole);
    std::set<std::string> unknown;
    std::size_t keys = 0;
    for (const std::string& name : files.list(evidence("corpus/bridge/" + version))) {
      if (!name.ends_with(".yaml")) {
        continue;
      }
      const std::string path = evidence("corpus/bridge/" + version + "/" + name);
      const text::SourceFile file(path, files.read(path));
      const yaml::Stream stream = yaml::parse(file);
      REQUIRE(stream.documents.size() == 1);
      const yaml::Node& dump = stream.documents.front().root;
      const Vocabulary& known = by_classes.of(dump);
      std::vector<std::string> paths;
      add_paths(dump, "", paths);
      keys += paths.size();
      for (const std::string& each : paths) {
        if (!known.knows(each)) {
          unknown.insert(each);
        }
      }
    }
    CAPTURE(version);
    CHECK(keys > 10'000);
    CHECK(unknown == std::set<std::string>{});
  }
}

TEST_CASE("flags that Megatron-LM's parser took are known, those that it refused are not") {
  const os::DiskFiles files;
  if (!has_evidence("vectors") || !has_evidence("corpus")) {
    return;
  }
  std::map<std::string, std::set<std::string>> flags_by_base;
  for (const std::string_view version :
       Vocabulary::versions(Framework::mlm, support::vocabulary_table())) {
    if (!std::filesystem::exists(evidence("vectors/mlm-" + std::string(version) + ".jsonl"))) {
      continue;  // tests/oracle/releases.py lays this release out, no vectors ask it
    }
    CAPTURE(std::string(version));
    const Vocabulary known = vocabulary(Framework::mlm, version);
    std::set<std::string> missing;
    std::set<std::string> invented;
    std::size_t taken = 0;
    std::istringstream lines(
        files.read(evidence("vectors/mlm-" + std::string(version) + ".jsonl")));
    for (std::string line; std::getline(lines, line);) {
      const auto vector = nlohmann::json::parse(line);
      if (!vector["set"].empty() || !vector["unset"].empty()) {
        continue;
      }
      const std::string base = vector["base"];
      if (!flags_by_base.contains(base)) {
        flags_by_base[base] = flags_of(files, evidence("corpus/" + base));
      }
      const auto& expected = vector["expect"];
      const std::string message = expected.value("message", "");
      const std::string refusal = "unrecognized arguments: ";
      if (message.starts_with(refusal)) {
        std::istringstream refused(message.substr(refusal.size()));
        for (std::string word; refused >> word;) {
          if (word.starts_with("--") && known.flag(word) != nullptr) {
            invented.insert(word);
          }
        }
      } else if (expected.value("stage", "") != "argparse") {
        ++taken;
        for (const std::string& flag : flags_by_base[base]) {
          if (flag.starts_with("--") && known.flag(flag) == nullptr) {
            missing.insert(flag);
          }
        }
      }
    }
    CHECK(taken > 50);
    CHECK(missing == std::set<std::string>{});
    CHECK(invented == std::set<std::string>{});
  }
}

}  // namespace epwise::recipe
