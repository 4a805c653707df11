#include "session/baseline.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/os/regular_files.h"
#include "session/files/places.h"
#include "yaml/literal.h"
#include "yaml/parse.h"
#include "yaml/reader.h"

namespace epwise::session {

namespace {

/// FNV-1a, 64 bits: stable over versions and machines, which std::hash is not.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  return hash;
}

constexpr char kSeparator = '\x1f';
constexpr std::size_t kLongLine = 4096;  // bytes; of a longer line, those from the mark on

}  // namespace

std::string Fingerprints::counted(const std::string& text) {
  const int count = ++seen_[text];
  return fmt::format("{:016x}:{}", hash_of(text), count);
}

std::string Fingerprints::of_finding(std::string_view uri, const lint::Finding& finding) {
  std::vector<std::string> pointers{finding.primary.pointer};
  for (const lint::Location& related : finding.related) {
    pointers.push_back(related.pointer);
  }
  std::sort(pointers.begin(), pointers.end());
  std::vector<std::string> values;
  for (const lint::Evidence& evidence : finding.evidence) {
    values.push_back(evidence.name + '=' + evidence.value);
  }
  std::sort(values.begin(), values.end());
  std::string text = "finding";
  const auto add = [&](std::string_view part) {
    text += kSeparator;
    text += part;
  };
  add(finding.rule->id);
  add(uri);
  std::for_each(pointers.begin(), pointers.end(), add);
  std::for_each(values.begin(), values.end(), add);
  return counted(text);
}

std::string Fingerprints::of_failure(std::string_view sentence) {
  std::string text = "failure";
  text += kSeparator;
  text += sentence;
  return counted(text);
}

std::string Fingerprints::of_line(std::string_view uri, const lint::Finding& finding) {
  std::string text = "line";
  text += kSeparator;
  text += uri;
  text += kSeparator;
  if (const text::Mark& mark = finding.primary.mark; !mark.nowhere()) {
    std::string_view line = mark.file->line(mark.start().line);
    if (line.size() > kLongLine) {
      line = mark.file->bytes().substr(mark.begin, kLongLine);
    }
    std::copy_if(line.begin(), line.end(), std::back_inserter(text), [](char c) {
      return c != ' ' && c != '\t';
    });
  }
  return counted(text);
}

namespace {

using Entry = Baseline::Entry;
using os::UsageError;

constexpr std::int64_t kVersion = 1;

std::string baseline_problems(const std::string& path,
                              const std::vector<text::Diagnostic>& problems) {
  std::string text = fmt::format("{} is not a baseline:", path);
  for (const text::Diagnostic& problem : problems) {
    text += fmt::format("\n  line {}: {}", problem.mark.start().line, problem.message);
  }
  return text;
}

}  // namespace

Baseline Baseline::read(const os::Files& files, const std::string& path) {
  std::string bytes;
  try {
    bytes = os::read_regular(files, path, yaml::Limits{}.bytes);
  } catch (const os::MissingError& error) {
    throw UsageError(fmt::format("{}; `epwise baseline write` creates a baseline", error.what()));
  }
  const text::SourceFile file(path, std::move(bytes));
  const yaml::Stream stream = yaml::parse(file);
  std::vector<text::Diagnostic> problems = stream.diagnostics;
  Baseline baseline;
  baseline.path_ = path;
  baseline.home_ = checkout_around(files, path);
  if (stream.documents.size() != 1 || !stream.documents.front().root.is_mapping()) {
    problems.push_back({"", {&file, 0, 0}, "it has no `version` and `findings`"});
    throw UsageError(baseline_problems(path, problems));
  }
  yaml::MapReader in(stream.documents.front().root, "the baseline", problems);
  const auto version = in.integer("version");
  if (!version || *version != kVersion) {
    in.problem(stream.documents.front().root.mark,
               fmt::format("this program reads baselines of version {}", kVersion));
  }
  baseline.reason_ = in.text("reason").value_or("");
  if (const yaml::Node* list = in.sequence("findings")) {
    for (const yaml::Node& item : list->items) {
      yaml::MapReader entry(item, "a finding", problems);
      baseline.entries_.insert({entry.required_text("file"),
                                entry.required_text("rule"),
                                entry.required_text("fingerprint"),
                                entry.text("target").value_or("")});
      entry.finish();
    }
  }
  in.finish();
  if (!problems.empty()) {
    throw UsageError(baseline_problems(path, problems));
  }
  return baseline;
}

std::string Baseline::place_of(const std::string& name) const {
  return join(home_.root, file_of(name));
}

std::vector<Entry> Baseline::entries_of(const Checkout& home,
                                        const recipe::Recipe& recipe,
                                        const std::string& target,
                                        const lint::Result& result) {
  std::vector<Entry> entries;
  if (!recipe.readable) {
    return entries;
  }
  const std::string name = repository_path(home, recipe.path);
  Fingerprints fingerprints;  // they count what is the same in everything: a fresh list each time
  entries.reserve(result.findings.size());
  for (const lint::Finding& finding : result.findings) {
    entries.push_back(
        {name, std::string(finding.rule->id), fingerprints.of_finding(name, finding), target});
  }
  return entries;
}

std::vector<Entry> Baseline::accept(const recipe::Recipe& recipe, lint::Result& result) const {
  const std::vector<Entry> entries = entries_of(home_, recipe, "", result);
  std::vector<Entry> known;
  std::vector<lint::Finding> rest;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    lint::Finding& finding = result.findings[i];
    if (entries_.contains(entries[i])) {
      known.push_back(entries[i]);
      result.accepted.push_back({std::move(finding), reason_, {}, path_});
    } else {
      rest.push_back(std::move(finding));
    }
  }
  if (recipe.readable) {
    result.findings = std::move(rest);
  }
  return known;
}

std::vector<Entry> Baseline::undecided(const recipe::Recipe& recipe,
                                       const lint::Result& result,
                                       const lint::Selection& selection,
                                       const lint::Knowledge& knowledge) const {
  const std::string name = repository_path(home_, recipe.path);
  const auto is_undecided = [&](const lint::Rule& rule) {
    return !selection.takes(rule) ||
           std::ranges::find(result.open, &rule, &lint::Open::rule) != result.open.end() ||
           std::ranges::find(result.waiting, &rule) != result.waiting.end() ||
           std::ranges::find(result.explained, &rule, &lint::Explained::rule) !=
               result.explained.end();
  };
  std::vector<Entry> entries;
  for (auto entry = entries_.lower_bound({name, "", ""});
       entry != entries_.end() && entry->file == name;
       ++entry) {
    const lint::Rule* rule = knowledge.find(entry->rule);
    if (rule != nullptr && is_undecided(*rule)) {
      entries.push_back(*entry);
    }
  }
  return entries;
}

void BaselineUse::add(const recipe::Recipe& recipe,
                      const std::string& target,
                      const std::vector<Entry>& known,
                      const std::vector<Entry>& undecided) {
  if (recipe.readable) {
    seen_[repository_path(baseline_->home(), recipe.path)].insert(target);
    used_.insert(known.begin(), known.end());
    undecided_.insert(undecided.begin(), undecided.end());
  }
}

bool BaselineUse::is_of_another_target(const Entry& entry) const {
  const auto seen = seen_.find(entry.file);
  return seen != seen_.end() && !used_.contains(entry) && !entry.target.empty() &&
         !seen->second.contains(entry.target);
}

bool BaselineUse::is_settled(const Entry& entry,
                             const std::function<bool(const std::string&)>& is_there) const {
  return seen_.contains(entry.file)
             ? !used_.contains(entry) && !undecided_.contains(entry) && !is_of_another_target(entry)
             : !is_there(entry.file);
}

BaselineCount BaselineUse::count(const std::function<bool(const std::string&)>& is_there) const {
  const auto settled = std::ranges::count_if(
      baseline_->entries(), [&](const Entry& entry) { return is_settled(entry, is_there); });
  return {baseline_->path(), static_cast<int>(used_.size()), static_cast<int>(settled)};
}

std::vector<Entry> BaselineUse::left(
    const std::function<bool(const std::string&)>& is_there) const {
  std::vector<Entry> entries;
  std::ranges::copy_if(baseline_->entries(), std::back_inserter(entries), [&](const Entry& entry) {
    return !is_settled(entry, is_there);
  });
  return entries;
}

std::string Baseline::to_text(const std::string& reason, std::vector<Entry> entries) {
  std::ranges::sort(entries);
  const auto quoted = [](const std::string& text) {
    return yaml::render(yaml::Literal::of_text(text), yaml::Quote::twofold);
  };
  std::string text =
      "# Findings that existed when this file was written. It only shrinks:\n"
      "# `epwise baseline prune` removes those that no longer occur.\n";
  text += fmt::format("version: {}\nreason: {}\nfindings:", kVersion, quoted(reason));
  text += entries.empty() ? " []\n" : "\n";
  for (const Entry& entry : entries) {
    text += fmt::format("  - {{file: {}, rule: {}, fingerprint: {}{}}}\n",
                        quoted(entry.file),
                        yaml::render_text(entry.rule, yaml::Quote::none),
                        quoted(entry.fingerprint),
                        entry.target.empty() ? "" : ", target: " + quoted(entry.target));
  }
  return text;
}

}  // namespace epwise::session
