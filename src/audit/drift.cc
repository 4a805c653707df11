#include "audit/drift.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "audit/fingerprint.h"

namespace epwise::audit {

namespace {

/// A file of the newer sources.
struct NewFile {
  std::string text;
  std::vector<SourceLine> lines;
};

class Comparison {
 public:
  Comparison(const world::Files& files, const std::string& folder)
      : files_(files),
        folder_(folder) {}

  Drift compare(const lint::Rule& rule,
                const lint::Reference& reference,
                const lint::Fragment* fragment) {
    Drift drift{&rule, &reference, Ground::unknown, {}, 0};
    if (fragment == nullptr) {
      return drift;
    }
    drift.symbol = fragment->symbol;
    const auto& file = open(std::string(reference.path));
    if (!file) {
      drift.ground = Ground::gone;
      return drift;
    }
    if (const auto line = find(*file, *fragment)) {
      drift.shift = *line - fragment->start;
      drift.ground = drift.shift == 0 ? Ground::unchanged : Ground::moved;
    } else {
      drift.ground = has_symbol(*file, fragment->symbol) ? Ground::changed : Ground::gone;
    }
    return drift;
  }

 private:
  const std::optional<NewFile>& open(const std::string& path) {
    const auto known = opened_.find(path);
    if (known != opened_.end()) {
      return known->second;
    }
    std::optional<NewFile> file;
    const auto whole = folder_ + "/" + path;
    if (files_.is_file(whole)) {
      file.emplace();
      file->text = files_.read(whole);
      file->lines = source_lines(file->text);
    }
    return opened_.emplace(path, std::move(file)).first->second;
  }

  /// The line at which the fragment starts now, the nearest to where it was.
  static std::optional<int> find(const NewFile& file, const lint::Fragment& fragment) {
    const auto count = static_cast<std::size_t>(std::max(fragment.count, 1));
    std::uint64_t wanted = 0;
    constexpr int kHexadecimal = 16;
    std::from_chars(
        fragment.hash.data(), fragment.hash.data() + fragment.hash.size(), wanted, kHexadecimal);
    std::optional<int> best;
    for (std::size_t i = 0; i + count <= file.lines.size(); ++i) {
      const int line = file.lines[i].number;
      const bool nearer =
          !best || std::abs(line - fragment.start) < std::abs(*best - fragment.start);
      if (nearer && fingerprint(file.lines, i, count) == wanted) {
        best = line;
      }
    }
    return best;
  }

  /// Whether the innermost function or class of "Config.__post_init__" is still defined.
  static bool has_symbol(const NewFile& file, std::string_view symbol) {
    const auto name = std::string(symbol.substr(symbol.rfind('.') + 1));
    if (name.empty()) {
      return true;
    }
    return std::ranges::any_of(file.lines, [&](const SourceLine& line) {
      for (const std::string_view word : {"def ", "class ", "async def "}) {
        if (line.text.starts_with(std::string(word) + name + "(") ||
            line.text.starts_with(std::string(word) + name + ":")) {
          return true;
        }
      }
      return false;
    });
  }

  const world::Files& files_;
  const std::string& folder_;
  std::map<std::string, std::optional<NewFile>> opened_;
};

/// The repository whose files the folder holds most of.
std::string recognise(const world::Files& files,
                      const std::string& folder,
                      const lint::Knowledge& knowledge) {
  std::map<std::string, std::set<std::string>> found;
  std::set<std::string> names;
  for (const auto& rule : knowledge.rules) {
    for (const auto& reference : rule.references) {
      const std::string repository(reference.repository);
      if (repository.empty()) {
        continue;
      }
      names.insert(repository);
      if (files.is_file(folder + "/" + std::string(reference.path))) {
        found[repository].insert(std::string(reference.path));
      }
    }
  }
  const auto most =
      std::ranges::max_element(found, {}, [](const auto& entry) { return entry.second.size(); });
  if (most == found.end()) {
    throw world::UsageError(fmt::format(
        "{}: holds none of the files that rules refer to; it should be a checkout of {}",
        folder,
        fmt::join(names, " or ")));
  }
  return most->first;
}

}  // namespace

std::string_view to_string(Ground ground) {
  switch (ground) {
    case Ground::unchanged:
      return "unchanged";
    case Ground::moved:
      return "moved";
    case Ground::changed:
      return "changed";
    case Ground::gone:
      return "gone";
    case Ground::unknown:
      break;
  }
  return "unknown";
}

std::string place_of(const lint::Reference& reference) {
  std::string place =
      fmt::format("{}@{} {}", reference.repository, reference.commit, reference.path);
  return reference.lines.empty() ? place : fmt::format("{}:{}", place, reference.lines);
}

const lint::Fragment* find_fragment(const lint::Knowledge& knowledge,
                                    const lint::Reference& reference) {
  const auto& all = knowledge.tables.fragments;
  const auto place = place_of(reference);
  const auto found = std::ranges::lower_bound(all, place, {}, &lint::Fragment::place);
  return found != all.end() && found->place == place ? &*found : nullptr;
}

DriftReport drift(const world::Files& files,
                  const std::string& folder,
                  std::string repository,
                  const lint::Knowledge& knowledge) {
  if (!files.is_directory(folder)) {
    throw world::MissingError(folder + ": there is no such folder");
  }
  DriftReport report;
  report.repository =
      repository.empty() ? recognise(files, folder, knowledge) : std::move(repository);
  Comparison comparison(files, folder);
  for (const auto& rule : knowledge.rules) {
    for (const auto& reference : rule.references) {
      if (reference.repository == report.repository) {
        report.drifts.push_back(
            comparison.compare(rule, reference, find_fragment(knowledge, reference)));
      }
    }
  }
  return report;
}

}  // namespace epwise::audit
