#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"
#include "base/text/source_file.h"

namespace epwise::yaml {
class MapReader;
}

namespace epwise::advise {

/// Numbers by which a model is recognised.
struct ModelSizes {
  int layers = 0;
  int hidden = 0;
  int experts = 0;
  int topk = 0;

  bool operator==(const ModelSizes&) const = default;
};

/// What a published comparison measured.
enum class PublishedUnit : std::uint8_t { seconds, tflops, gib };

std::string_view to_string(PublishedUnit unit);  // "s", "TFLOP/s", "GiB"

struct PublishedRun {
  std::string dispatcher;
  double figure = 0;
};

/// Two or more published runs that differ in the token dispatcher.
struct PublishedRuns {
  std::string model;  // "deepseek-v3"
  ModelSizes sizes;
  std::string hw;            // "gb200"
  std::string architecture;  // "GB200"
  int gpus = 0;              // 0: not published
  int expert_ranks = 0;      // 0: not published
  std::string precision;     // "mxfp8"
  PublishedUnit unit = PublishedUnit::seconds;
  std::vector<PublishedRun> runs;  // figures in `unit`
  std::vector<std::string> ids;    // in tests/evidence/steps.jsonl
  std::string source;
  std::string date;     // "2026-01"
  std::string status;   // "measured" or "reported"
  std::string caution;  // what else differs; may be empty

  /// How much faster the second run is than the first: 1.05 in either unit of speed; bytes of the
  /// first over those of the second for memory. 0: no such runs.
  double ratio(std::string_view first, std::string_view second) const;
};

/// What documents say about one model, or about vision-language models.
struct ModelFamily {
  std::string name;  // "Qwen3 235B"
  ModelSizes sizes;  // 0: any
  bool vision = false;
  std::string says;

  /// Whether a model of these sizes belongs to it.
  bool holds(const ModelSizes& model, bool has_vision) const;
};

/// The keys layers, hidden, experts and topk of a mapping; 0 where one is absent.
ModelSizes read_sizes(yaml::MapReader& in);

/// knowledge/published.yaml → comparisons; reports missing values and unknown units.
std::vector<PublishedRuns> read_published(const text::SourceFile& file,
                                          std::vector<text::Diagnostic>& problems);

}  // namespace epwise::advise
