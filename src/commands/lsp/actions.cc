#include "commands/lsp/actions.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands/lsp/client.h"
#include "commands/lsp/diagnostics.h"
#include "fix/plan.h"
#include "fix/proof.h"

namespace epwise::lsp {

namespace {

using Patch = lint::Fix::Patch;

constexpr std::string_view kUnused = "suppression/unused";

Json text_edits(const std::vector<Patch>& patches, const Client& client) {
  Json edits = Json::array();
  for (const Patch& patch : patches) {
    edits.push_back(
        {{"range", json_of(range_of(patch.mark, client.encoding))}, {"newText", patch.text}});
  }
  return edits;
}

Json workspace_edit(const std::vector<Patch>& patches, const Edited& edited, const Client& client) {
  if (client.versioned_edits) {
    return {{"documentChanges",
             Json::array({{{"textDocument", {{"uri", edited.uri}, {"version", edited.version}}},
                           {"edits", text_edits(patches, client)}}})}};
  }
  return {{"changes", {{edited.uri, text_edits(patches, client)}}}};
}

std::string title_of(const lint::Fix& fix, const lint::Finding& finding) {
  std::vector<std::string> edits;
  for (const fix::Repair::Edit& edit : fix::repair_of(fix, finding).edits) {
    edits.push_back(fix::to_text(edit));
  }
  const std::string lead = fix.title.empty() || edits.empty() ? fix.title : fix.title + ": ";
  return fmt::format("{}{} [{}]", lead, fmt::join(edits, ", "), lint::to_string(fix.tier));
}

/// Something that an editor can apply: words of a command line are not.
bool is_of_text(const lint::Fix& fix) {
  return !fix.patches.empty() &&
         std::ranges::all_of(fix.patches, [](const Patch& patch) { return !patch.mark.nowhere(); });
}

bool touches(const text::Mark& mark, std::size_t begin, std::size_t end) {
  return mark.begin <= end && begin <= mark.end;
}

}  // namespace

const lint::Finding& Fixes::finding(std::size_t analysis, std::size_t number) {
  const auto key = std::pair(analysis, number);
  const auto known = tried_.find(key);
  if (known != tried_.end()) {
    return known->second;
  }
  session::Analysis tried = reading_->analyses[analysis];
  fix::prove_fixes_of(tried, number);
  return tried_.emplace(key, std::move(tried.result.findings[number])).first->second;
}

Json actions_between(
    Fixes& fixes, std::size_t begin, std::size_t end, const Edited& edited, const Client& client) {
  const LintedDocument& reading = fixes.reading();
  Json all = Json::array();
  for (std::size_t s = 0; s < reading.analyses.size(); ++s) {
    const session::Analysis& analysis = reading.analyses[s];
    for (std::size_t f = 0; f < analysis.result.findings.size(); ++f) {
      const lint::Finding& untried = analysis.result.findings[f];
      const auto place = place_of(reading, analysis, untried.primary.mark);
      if (!touches(place, begin, end)) {
        continue;
      }
      const auto about =
          Json::array({diagnostic_of(reading, analysis, untried, edited.uri, client)});
      if (untried.rule->id == kUnused && untried.primary.mark.file != reading.file.get()) {
        continue;  // a comment of another file
      }
      const lint::Finding& finding = fixes.finding(s, f);
      bool first = true;
      for (const lint::Fix& fix : finding.fixes) {
        if (is_of_text(fix)) {
          all.push_back({{"title", title_of(fix, finding)},
                         {"kind", "quickfix"},
                         {"diagnostics", about},
                         {"isPreferred", first && fix.tier != lint::Tier::training},
                         {"edit", workspace_edit(fix.patches, edited, client)}});
          first = false;
        }
      }
    }
  }
  return all;
}

Json fix_all(const LintedDocument& reading, const Edited& edited, const Client& client) {
  Json all = Json::array();
  // The plans of several documents would change each other's text.
  if (reading.analyses.size() != 1 || !reading.analyses.front().recipe->readable) {
    return all;
  }
  const session::Analysis& base = reading.analyses.front();
  const auto plan = fix::plan(base.with(base.draft), lint::Tier::neutral);
  const auto patches = fix::patches_of(*reading.file, plan.after.draft.bytes);
  if (!patches.empty()) {
    all.push_back({{"title", "Apply all fixes that do not affect the run (epwise)"},
                   {"kind", "source.fixAll.epwise"},
                   {"edit", workspace_edit(patches, edited, client)}});
  }
  return all;
}

}  // namespace epwise::lsp
