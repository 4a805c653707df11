#include "recipe/bridge/other_release.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "recipe/bridge/config_targets.h"

namespace epwise::recipe {

namespace {

constexpr std::size_t kFewest = 12;  // fewer keys can be read one by one
constexpr std::size_t kShown = 3;

struct Release {
  std::string_view version;
  std::vector<bool> knows;  // by unknown key
  std::size_t count = 0;
};

Release knowledge_of(std::string_view version, const ConfigNode& root, const UnknownKeys& unknown) {
  Vocabulary vocabulary = Vocabulary::load(Framework::bridge, version);
  for (const ConfigNode& section : root.children) {
    if (const std::string_view target = target_of(section); !target.empty()) {
      vocabulary.use_class(section.name, target);
    }
  }
  Release release{version, {}, 0};
  for (std::size_t i = 0; i < unknown.diagnostics.size(); ++i) {
    const bool known =
        unknown.diagnostics[i].rule == "recipe/unknown-key" && vocabulary.knows(unknown.paths[i]);
    release.knows.push_back(known);
    release.count += known ? 1U : 0U;
  }
  return release;
}

/// Spares the tables of all releases when nothing looks like another one.
bool any_known_elsewhere(const Vocabulary& vocabulary, const UnknownKeys& unknown) {
  return std::any_of(unknown.paths.begin(), unknown.paths.end(), [&](const std::string& path) {
    return !vocabulary.history(path).empty();
  });
}

}  // namespace

void fold_other_release(const ConfigNode& root,
                        const Vocabulary& vocabulary,
                        UnknownKeys& unknown) {
  if (unknown.diagnostics.empty() || !any_known_elsewhere(vocabulary, unknown)) {
    return;
  }
  Release best;
  for (const std::string_view version : Vocabulary::versions(Framework::bridge)) {
    Release release = knowledge_of(version, root, unknown);
    if (release.count >= best.count) {  // of equals the newest
      best = std::move(release);
    }
  }
  if (best.count * 5 < unknown.diagnostics.size() * 4) {
    return;
  }
  if (best.count < kFewest) {
    for (std::size_t i = 0; i < unknown.diagnostics.size(); ++i) {
      if (best.knows[i]) {
        unknown.diagnostics[i].help = fmt::format(
            "if the recipe is for that release, say --stack bridge={}; take it out "
            "otherwise",
            best.version);
      }
    }
    return;
  }
  std::vector<text::Diagnostic> kept;
  std::vector<std::string> names;
  text::Mark first;
  for (std::size_t i = 0; i < unknown.diagnostics.size(); ++i) {
    if (!best.knows[i]) {
      kept.push_back(std::move(unknown.diagnostics[i]));
      continue;
    }
    first = names.empty() ? unknown.diagnostics[i].mark : first;
    if (names.size() < kShown) {
      names.push_back(unknown.paths[i]);
    }
  }
  kept.push_back(
      {"recipe/unknown-key",
       first,
       fmt::format("{} keys that Megatron-Bridge {} does not know are known in {}: `{}`, …",
                   best.count,
                   vocabulary.version(),
                   best.version,
                   fmt::join(names, "`, `")),
       {},
       fmt::format("the loader drops them: if the recipe is for that release, say "
                   "--stack bridge={}",
                   best.version)});
  unknown.diagnostics = std::move(kept);
}

}  // namespace epwise::recipe
