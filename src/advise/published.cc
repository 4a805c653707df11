#include "advise/published.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "yaml/reader.h"

namespace epwise::advise {

namespace {

/// 0 if the key is absent.
int count(yaml::MapReader& in, std::string_view key) {
  constexpr std::int64_t kMost = 10'000'000;
  return static_cast<int>(std::clamp<std::int64_t>(in.integer(key).value_or(0), 0, kMost));
}

constexpr std::array kUnits = {PublishedUnit::seconds, PublishedUnit::tflops, PublishedUnit::gib};

class PublishedReader {
 public:
  explicit PublishedReader(std::vector<text::Diagnostic>& problems) : problems_(problems) {}

  PublishedRuns comparison(const yaml::Node& node) {
    PublishedRuns all;
    yaml::MapReader in(node, "a published comparison", problems_);
    all.model = in.required_text("model");
    in.required("sizes");
    if (const yaml::Node* sizes = in.mapping("sizes")) {
      yaml::MapReader one(*sizes, "sizes of a model", problems_);
      all.sizes = read_sizes(one);
      one.finish();
    }
    all.hw = in.required_text("hw");
    all.architecture = in.required_text("architecture");
    all.gpus = count(in, "gpus");
    all.expert_ranks = count(in, "expert_ranks");
    all.precision = in.required_text("precision");
    const std::string unit = in.required_text("unit");
    const auto known = std::ranges::find(kUnits, unit, [](auto each) { return to_string(each); });
    if (known == kUnits.end()) {
      in.problem(node.mark, fmt::format("`{}` is not a unit: s, TFLOP/s or GiB", unit));
    } else {
      all.unit = *known;
    }
    read_runs(in, node, all);
    all.ids = in.texts("ids");
    all.source = in.required_text("source");
    all.date = in.required_text("date");
    all.status = in.required_text("status");
    if (all.status != "measured" && all.status != "reported") {
      in.problem(node.mark, fmt::format("`{}` is not a status: measured or reported", all.status));
    }
    all.caution = in.text("caution").value_or("");
    in.finish();
    return all;
  }

 private:
  void read_runs(yaml::MapReader& in, const yaml::Node& node, PublishedRuns& all) {
    in.required("runs");
    if (const yaml::Node* runs = in.mapping("runs")) {
      yaml::MapReader one(*runs, "published runs", problems_);
      for (const yaml::Entry& entry : runs->entries) {
        all.runs.push_back({entry.key, one.number(entry.key).value_or(0)});
      }
    }
    const bool sane = all.runs.size() > 1 &&
                      std::ranges::all_of(all.runs, [](const auto& run) { return run.figure > 0; });
    if (!sane) {
      in.problem(node.mark, "a comparison needs two runs with figures above 0");
    }
  }

  std::vector<text::Diagnostic>& problems_;
};

}  // namespace

std::string_view to_string(PublishedUnit unit) {
  switch (unit) {
    case PublishedUnit::tflops:
      return "TFLOP/s";
    case PublishedUnit::gib:
      return "GiB";
    case PublishedUnit::seconds:
      break;
  }
  return "s";
}

double PublishedRuns::ratio(std::string_view first, std::string_view second) const {
  const auto figure = [&](std::string_view name) {
    const auto found = std::ranges::find(runs, name, &PublishedRun::dispatcher);
    return found == runs.end() ? 0 : found->figure;
  };
  const double a = figure(first);
  const double b = figure(second);
  if (a <= 0 || b <= 0) {
    return 0;
  }
  return unit == PublishedUnit::tflops ? b / a : a / b;
}

bool ModelFamily::holds(const ModelSizes& model, bool has_vision) const {
  const auto fits = [](int wanted, int present) { return wanted == 0 || wanted == present; };
  return vision == has_vision && fits(sizes.layers, model.layers) &&
         fits(sizes.hidden, model.hidden) && fits(sizes.experts, model.experts) &&
         fits(sizes.topk, model.topk);
}

ModelSizes read_sizes(yaml::MapReader& in) {
  return {count(in, "layers"), count(in, "hidden"), count(in, "experts"), count(in, "topk")};
}

std::vector<PublishedRuns> read_published(const text::SourceFile& file,
                                          std::vector<text::Diagnostic>& problems) {
  std::vector<PublishedRuns> all;
  PublishedReader reader(problems);
  yaml::read_rows(file, "published runs", "comparisons", problems, [&](const yaml::Node& row) {
    all.push_back(reader.comparison(row));
  });
  return all;
}

}  // namespace epwise::advise
