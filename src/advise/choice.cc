#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "advise/comparison_tables.h"
#include "base/text/ascii.h"
#include "base/text/count.h"
#include "base/units/quantity.h"
#include "perf/workload/memory.h"

namespace epwise::advise {

ModelSizes sizes_of(const workload::Architecture& model) {
  return {
      static_cast<int>(model.layers.size()), model.hidden, model.experts.count, model.experts.topk};
}

namespace {

bool is_usable(const DispatcherRow& row) {
  return row.legality.legal && row.step && row.fits;
}

/// Whether documents treat both GPUs alike: "H800" and "H100".
bool is_same_kind(const Study& study, std::string_view a, std::string_view b) {
  return a == b || std::ranges::any_of(study.knowledge.by_hardware, [&](const Guideline& line) {
           return text::is_one_of(a, line.architectures) && text::is_one_of(b, line.architectures);
         });
}

/// How much faster, or smaller, the second dispatcher is than the first; 0: unknown.
double predicted_ratio(const std::vector<DispatcherRow>& rows,
                       std::string_view first,
                       std::string_view second,
                       PublishedUnit unit) {
  const auto a = std::ranges::find(rows, first, &DispatcherRow::name);
  const auto b = std::ranges::find(rows, second, &DispatcherRow::name);
  if (a == rows.end() || b == rows.end() || !a->step || !b->step) {
    return 0;
  }
  return unit == PublishedUnit::gib ? a->needed_memory / b->needed_memory
                                    : a->step->value / b->step->value;
}

/// The published run of both on this kind of GPU that is likest, in words.
std::string evidence_for(const std::vector<PublishedRow>& published,
                         const std::string& first,
                         const std::string& second) {
  for (const PublishedRow& row : published) {
    const double ratio = row.runs.ratio(first, second);
    if (row.runs.unit != PublishedUnit::gib && ratio > 0) {
      return fmt::format("published: {} {:.2f} times as fast as {} for {} on {} ({}, {})",
                         second,
                         ratio,
                         first,
                         row.runs.model,
                         row.runs.hw,
                         row.runs.source,
                         row.runs.date);
    }
  }
  return fmt::format(
      "no published run compares {} and {} for this model or on this kind of GPU: "
      "20 steps of each would decide",
      first,
      second);
}

std::string family_text(const Study& study) {
  const expr::Value vision = study.assessor.cache().plain().present("d.vlm");
  const bool has_vision = vision.is_known() && vision.truthy();
  const ModelSizes sizes = sizes_of(study.present.job->architecture);
  for (const ModelFamily& family : study.knowledge.families) {
    if (family.holds(sizes, has_vision)) {
      return fmt::format("{}: {}", family.name, family.says);
    }
  }
  return "";
}

/// The memory of a dispatcher against that of all-to-all, in parts.
std::string memory_text(const Study& study, const std::string& name) {
  constexpr double kNothing = 0.05 * units::kGiB;
  const auto estimate = [&](std::string_view move) -> std::optional<workload::MemoryEstimate> {
    const Prospect prospect =
        study.assessor.prospect(study.space.with(study.space.start(), "dispatcher", move));
    return prospect.job == nullptr ? std::nullopt
                                   : std::optional(workload::estimate_memory(*prospect.job));
  };
  if (name.empty() || name == "alltoall") {
    return "";
  }
  const auto own = estimate(name);
  const auto plain = estimate("alltoall");
  if (!own || !plain) {
    return "";
  }
  const auto gib = [](double bytes) { return fmt::format("{:.1f} GiB", bytes / units::kGiB); };
  const workload::StageMemory& stage = own->stages[static_cast<std::size_t>(own->fullest)];
  const double more = own->needed - plain->needed;
  const double buffers = stage.buffers;
  const double rest = more - buffers;
  std::string parts;
  if (buffers >= kNothing) {
    parts = fmt::format(": {} of its own buffers", gib(buffers));
  }
  if (std::abs(rest) >= kNothing) {
    parts += fmt::format("{} {} {} for copies of tokens",
                         parts.empty() ? ":" : ",",
                         gib(std::abs(rest)),
                         rest > 0 ? "more" : "less");
  }
  if (std::abs(more) < kNothing) {
    return fmt::format("{} needs as much memory as alltoall{}", name, parts);
  }
  return fmt::format("{} needs {} {} memory than alltoall{}",
                     name,
                     gib(std::abs(more)),
                     more > 0 ? "more" : "less",
                     parts);
}

/// Which of those that fit are too close to the first to call, and which are certainly slower: it is the
/// documents' choice.
std::string standing_text(const std::vector<DispatcherRow>& rows, const DispatcherRow& first) {
  std::vector<std::string> tied;
  std::vector<std::string> slower;
  for (const DispatcherRow& row : rows) {
    if (&row == &first || !is_usable(row)) {
      continue;
    }
    if (row.tie) {
      tied.push_back(row.name);
    } else if (row.step->value > first.step->value) {
      slower.push_back(row.name);
    }
  }
  if (first.rank != 1) {  // ties are those with the first row, which does not fit
    return "of those that fit in memory it has the shortest step, and it is the documents' choice";
  }
  if (tied.empty()) {
    return "it is certainly the fastest, and the documents' choice";
  }
  return fmt::format("it is too close to {} to call, and the documents' choice{}",
                     text::listed(tied),
                     slower.empty() ? ""
                                    : fmt::format("; {} {} certainly slower",
                                                  text::listed(slower),
                                                  slower.size() == 1 ? "is" : "are"));
}

/// Of a bring-up, or where documents name another one.
std::string reason_for(const std::vector<DispatcherRow>& rows,
                       const std::vector<PublishedRow>& published,
                       const DispatcherRow& first,
                       const std::string& documented) {
  const auto theirs = std::ranges::find(rows, documented, &DispatcherRow::name);
  if (first.name == documented) {
    return standing_text(rows, first);
  }
  if (theirs == rows.end() || !is_usable(*theirs)) {
    const bool warned = theirs != rows.end() && theirs->legality.rule != nullptr &&
                        theirs->legality.rule->severity < lint::Severity::error;
    return fmt::format("{}the documents' choice, {}{}: {}",
                       warned ? "lint warns against " : "",
                       documented,
                       warned ? "" : ", is not possible here",
                       theirs == rows.end() || theirs->legality.reason.empty()
                           ? "this version does not have it, or it does not fit"
                           : theirs->legality.reason);
  }
  return fmt::format(
      "documents recommend {}, which is predicted {:.2f} times as slow for this model; {}",
      documented,
      theirs->step->value / first.step->value,
      evidence_for(published, documented, first.name));
}

}  // namespace

std::vector<PublishedRow> published_for(const Study& study,
                                        const std::vector<DispatcherRow>& rows) {
  constexpr std::size_t kMost = 3;
  const std::string& architecture = study.world.base.target->hw->architecture;
  const ModelSizes sizes = sizes_of(study.present.job->architecture);
  std::vector<std::pair<int, PublishedRow>> found;
  for (const PublishedRuns& runs : study.knowledge.published) {
    const bool model = runs.sizes == sizes;
    const bool kind = is_same_kind(study, runs.architecture, architecture);
    if (!model && !kind) {
      continue;
    }
    PublishedRow row{runs, "", 0, 0};
    row.likeness = !model                              ? "this kind of GPU"
                   : runs.architecture == architecture ? "this model on this GPU"
                   : kind                              ? "this model on this kind of GPU"
                                                       : "this model on another kind of GPU";
    const std::string& first = runs.runs.front().dispatcher;
    const std::string& second = runs.runs.back().dispatcher;
    row.measured = runs.ratio(first, second);
    row.predicted = predicted_ratio(rows, first, second, runs.unit);
    found.emplace_back(
        (model ? 0 : 4) + (kind ? 0 : 2) + (runs.architecture == architecture ? 0 : 1),
        std::move(row));
  }
  std::ranges::stable_sort(found, {}, &std::pair<int, PublishedRow>::first);
  std::vector<PublishedRow> likest;
  for (auto& [distance, row] : found) {
    if (likest.size() < kMost) {
      likest.push_back(std::move(row));
    }
  }
  return likest;
}

Choice choice_of(const Study& study, const std::vector<DispatcherRow>& rows) {
  Choice choice;
  choice.documented = documented_dispatcher(study);
  choice.family = family_text(study);
  choice.published = published_for(study, rows);
  const auto first = std::ranges::find_if(rows, is_usable);
  if (first == rows.end()) {
    choice.because = "no dispatcher can be predicted, or none fits in memory";
    return choice;
  }
  choice.name = first->name;
  const auto theirs = std::ranges::find(rows, choice.documented, &DispatcherRow::name);
  const bool bring_up = study.world.base.target->purpose == "bring-up";
  if (bring_up && theirs != rows.end() && is_usable(*theirs)) {
    choice.name = choice.documented;
    choice.because = fmt::format(
        "a bring-up begins with the plainest dispatcher; {} is predicted {:.2f} times as fast, to "
        "be tried once the run is correct",
        first->name,
        theirs->step->value / first->step->value);
  } else {
    choice.because = reason_for(rows, choice.published, *first, choice.documented);
  }
  const std::string& asked = choice.name == "alltoall" ? first->name : choice.name;
  choice.memory = memory_text(study, asked == "alltoall" ? choice.documented : asked);
  return choice;
}

}  // namespace epwise::advise
