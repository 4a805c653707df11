#include "commands/rules/drift.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/core.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace epwise::audit {

namespace {

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

std::uint64_t fnv64(std::uint64_t value, std::string_view text) {
  for (const char c : text) {
    value = (value ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  }
  return value;
}

std::string fnv32(std::string_view text) {
  std::uint32_t value = 0x811C9DC5U;
  for (const char c : text) {
    value = (value ^ static_cast<unsigned char>(c)) * 0x01000193U;
  }
  return fmt::format("{:08x}", value);
}

/// "  a   b " → "a b"
std::string squeezed(std::string_view line) {
  std::string result;
  for (const char c : line) {
    if (!is_blank(c)) {
      result += c;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  while (result.ends_with(' ')) {
    result.pop_back();
  }
  return result;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

std::vector<std::string> lower_words(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char c : text) {
    if (!is_word(c)) {
      inside = false;
      continue;
    }
    if (!inside) {
      words.emplace_back();
    }
    inside = true;
    words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return words;
}

}  // namespace

std::vector<SourceLine> source_lines(std::string_view text) {
  std::vector<SourceLine> lines;
  for (int number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = squeezed(text.substr(0, end));
    if (!line.empty() && line.front() != '#') {
      lines.push_back({number, std::move(line)});
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::uint64_t fingerprint(const std::vector<SourceLine>& lines,
                          std::size_t first,
                          std::size_t count) {
  std::uint64_t value = 0xCBF29CE484222325ULL;
  for (std::size_t i = first; i < first + count; ++i) {
    value = fnv64(i == first ? value : fnv64(value, "\n"), lines[i].text);
  }
  return value;
}

std::vector<std::string> message_marks(std::string_view message) {
  const auto words = lower_words(message);
  std::vector<std::string> marks;
  for (std::size_t i = 0; i < words.size(); ++i) {
    marks.push_back(fnv32(words[i]));
    if (i + 2 < words.size()) {
      marks.push_back(fnv32(words[i] + " " + words[i + 1] + " " + words[i + 2]));
    }
  }
  std::ranges::sort(marks);
  marks.erase(std::unique(marks.begin(), marks.end()), marks.end());
  return marks;
}

namespace {

/// A file of the newer sources.
struct NewFile {
  std::string text;
  std::vector<SourceLine> lines;
};

class Comparison {
 public:
  Comparison(const os::Files& files, const std::string& folder) : files_(files), folder_(folder) {}

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

  /// The line at which the fragment now starts, nearest to the old one.
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

  const os::Files& files_;
  const std::string& folder_;
  std::map<std::string, std::optional<NewFile>> opened_;
};

/// The repository with most of its files in the directory.
std::string recognised_sources(const os::Files& files,
                               const std::string& folder,
                               const lint::Knowledge& knowledge) {
  std::map<std::string, std::set<std::string>> found;
  std::set<std::string> names;
  for (const auto& rule : knowledge.rules) {
    for (const auto& reference : rule.prose->references) {
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
    throw os::UsageError(
        fmt::format("{}: contains none of the files that rules refer to; expected a checkout of {}",
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
  const auto& all = *knowledge.tables.fragments;
  const auto place = place_of(reference);
  const auto found = std::ranges::lower_bound(all, place, {}, &lint::Fragment::place);
  return found != all.end() && found->place == place ? &*found : nullptr;
}

DriftReport drift(const os::Files& files,
                  const std::string& folder,
                  std::string repository,
                  const lint::Knowledge& knowledge) {
  if (!files.is_directory(folder)) {
    throw os::MissingError(folder + ": no such directory");
  }
  DriftReport report;
  report.repository =
      repository.empty() ? recognised_sources(files, folder, knowledge) : std::move(repository);
  Comparison comparison(files, folder);
  for (const auto& rule : knowledge.rules) {
    for (const auto& reference : rule.prose->references) {
      if (reference.repository == report.repository) {
        report.drifts.push_back(
            comparison.compare(rule, reference, find_fragment(knowledge, reference)));
      }
    }
  }
  return report;
}

}  // namespace epwise::audit
