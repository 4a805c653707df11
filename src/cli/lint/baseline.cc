#include "cli/lint/baseline.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "report/lint/fingerprint.h"
#include "report/lint/tally.h"
#include "report/uri.h"
#include "yaml/literal.h"
#include "yaml/parse.h"
#include "yaml/reader.h"

namespace epwise::cli {

namespace {

using Entry = Baseline::Entry;
using world::UsageError;

constexpr std::int64_t kVersion = 1;

bool is_readable(const report::LintedFile& file) {
  return file.recipe != nullptr && file.recipe->readable;
}

/// Fingerprints count what is the same in everything, so that each file gets a fresh list.
std::vector<Entry> entries_in(const report::Checkout& checkout,
                              const std::string& path,
                              const std::vector<const lint::Finding*>& findings) {
  std::vector<Entry> entries;
  const std::string name = report::repository_path(checkout, path);
  report::Fingerprints fingerprints;
  entries.reserve(findings.size());
  for (const lint::Finding* finding : findings) {
    entries.push_back(
        {name, std::string(finding->rule->id), fingerprints.of_finding(name, *finding)});
  }
  return entries;
}

std::string problems_text(const std::string& path, const std::vector<text::Diagnostic>& problems) {
  std::string text = fmt::format("{} is no baseline:", path);
  for (const text::Diagnostic& problem : problems) {
    text += fmt::format("\n  line {}: {}", problem.mark.start().line, problem.message);
  }
  return text;
}

}  // namespace

Baseline Baseline::read(const world::Files& files, const std::string& path) {
  std::string bytes;
  try {
    bytes = files.read(path, yaml::Limits{}.bytes);
  } catch (const world::MissingError& error) {
    throw UsageError(fmt::format("{}; `epwise baseline write` makes a baseline", error.what()));
  }
  const text::SourceFile file(path, std::move(bytes));
  const yaml::Stream stream = yaml::parse(file);
  std::vector<text::Diagnostic> problems = stream.diagnostics;
  Baseline baseline;
  baseline.path_ = path;
  if (stream.documents.size() != 1 || !stream.documents.front().root.is_mapping()) {
    problems.push_back({"", {&file, 0, 0}, "it holds no `version` and `findings`"});
    throw UsageError(problems_text(path, problems));
  }
  yaml::MapReader in(stream.documents.front().root, "the baseline", problems);
  const auto version = in.integer("version");
  if (!version || *version != kVersion) {
    in.problem(stream.documents.front().root.mark,
               fmt::format("this program reads version {} of baselines", kVersion));
  }
  baseline.reason_ = in.text("reason").value_or("");
  if (const yaml::Node* list = in.sequence("findings")) {
    for (const yaml::Node& item : list->items) {
      yaml::MapReader entry(item, "a finding", problems);
      baseline.entries_.insert({entry.required_text("file"),
                                entry.required_text("rule"),
                                entry.required_text("fingerprint")});
      entry.finish();
    }
  }
  in.finish();
  if (!problems.empty()) {
    throw UsageError(problems_text(path, problems));
  }
  return baseline;
}

std::vector<Entry> Baseline::entries_of(const report::Checkout& checkout,
                                        const report::LintedFile& file) {
  return is_readable(file) ? entries_in(checkout, file.path, report::shown(file))
                           : std::vector<Entry>();
}

std::set<const lint::Finding*> Baseline::known(const report::Checkout& checkout,
                                               const recipe::Recipe& recipe,
                                               const lint::Result& result) const {
  std::set<const lint::Finding*> known;
  if (recipe.readable) {
    const auto findings = report::shown(result);
    const auto entries = entries_in(checkout, recipe.path, findings);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries_.contains(entries[i])) {
        known.insert(findings[i]);
      }
    }
  }
  return known;
}

void Baseline::spare(const report::Checkout& checkout,
                     const recipe::Recipe& recipe,
                     lint::Result& result) const {
  const auto accepted = known(checkout, recipe, result);
  std::vector<lint::Finding> rest;
  for (lint::Finding& finding : result.findings) {
    if (accepted.contains(&finding)) {
      result.accepted.push_back({std::move(finding), reason_, {}, path_});
    } else {
      rest.push_back(std::move(finding));
    }
  }
  result.findings = std::move(rest);
}

void Baseline::accept(const report::Checkout& checkout, report::LintedFile& file) {
  if (!is_readable(file)) {
    return;
  }
  seen_.insert(report::repository_path(checkout, file.path));
  const auto entries = entries_of(checkout, file);
  std::ranges::copy_if(entries, std::inserter(used_, used_.end()), [this](const Entry& entry) {
    return entries_.contains(entry);
  });
  spare(checkout, *file.recipe, file.result);
}

report::BaselineCount Baseline::count(
    const std::function<bool(const std::string&)>& is_there) const {
  report::BaselineCount count{path_, static_cast<int>(used_.size()), 0};
  count.settled = static_cast<int>(std::ranges::count_if(entries_, [&](const Entry& entry) {
    return seen_.contains(entry.file) ? !used_.contains(entry) : !is_there(entry.file);
  }));
  return count;
}

std::string Baseline::to_text(const std::string& reason, std::vector<Entry> entries) {
  std::ranges::sort(entries);
  const auto quoted = [](const std::string& text) {
    return yaml::render(yaml::Literal::of_text(text), yaml::Quote::twofold);
  };
  std::string text =
      "# Findings that epwise knew when this file was written. It only shrinks:\n"
      "# `epwise baseline prune` takes out what is settled.\n";
  text += fmt::format("version: {}\nreason: {}\nfindings:", kVersion, quoted(reason));
  text += entries.empty() ? " []\n" : "\n";
  for (const Entry& entry : entries) {
    text += fmt::format("  - {{file: {}, rule: {}, fingerprint: {}}}\n",
                        quoted(entry.file),
                        entry.rule,
                        quoted(entry.fingerprint));
  }
  return text;
}

}  // namespace epwise::cli
