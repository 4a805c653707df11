#include "hw/profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/embedded/archive.h"
#include "base/text/spelling.h"
#include "base/units/quantity.h"
#include "yaml/parse.h"
#include "yaml/reader.h"

namespace epwise::hw {

/// Which profiles must have a number: all, those that are not partial, or none.
enum class Need : std::uint8_t { always, full, optional };

/// A number in a hardware profile. The range is deliberately wide: it catches a wrong unit or a
/// misplaced digit, not a fast machine.
struct NumberKind {
  std::string_view key;  // "memory_bandwidth"
  units::Dimension dimension = units::Dimension::none;
  double low = 0;   // base units
  double high = 0;  // base units
  Need need = Need::optional;
  bool whole = false;           // counts
  std::string_view limit = {};  // the number that limits this one: a measurement's peak
};

/// All of them, in the order of hwprofiles/README.md.
std::span<const NumberKind> number_kinds();

/// Null pointer for an unknown key.
const NumberKind* find_number_kind(std::string_view key);

const Sourced* Profile::number(std::string_view key) const {
  const auto found = numbers.find(key);
  return found == numbers.end() ? nullptr : &found->second;
}

std::string_view to_string(Status status) {
  switch (status) {
    case Status::measured:
      return "measured";
    case Status::datasheet:
      return "datasheet";
    case Status::derived:
      return "derived";
    case Status::assumed:
      return "assumed";
  }
  return "";
}

namespace {

using units::Dimension;
using units::kGiB;
using units::kTera;

constexpr double kGB = 1e9;

constexpr NumberKind count(std::string_view key, double high, Need need) {
  return {key, Dimension::none, 1, high, need, true};
}

constexpr NumberKind clock(std::string_view key) {
  return {key, Dimension::hertz, 0.5e9, 5e9};
}

constexpr NumberKind peak(std::string_view key, Need need) {
  return {key, Dimension::flops_per_second, 10 * kTera, 1e5 * kTera, need};
}

constexpr NumberKind gemm(std::string_view key, std::string_view limit) {
  return {key, Dimension::flops_per_second, kTera, 1e5 * kTera, Need::optional, false, limit};
}

constexpr NumberKind rate(std::string_view key, Need need, std::string_view limit = {}) {
  return {key, Dimension::bytes_per_second, kGB, 2e4 * kGB, need, false, limit};
}

constexpr std::array<NumberKind, 31> kKinds = {{
    {"compute_capability", Dimension::none, 3, 20, Need::always},
    count("gpus_per_node", 72, Need::always),
    count("nvlink_domain", 1024, Need::always),
    count("sm_count", 1024, Need::full),
    clock("boost_clock"),
    clock("max_clock"),
    peak("peak_bf16", Need::full),
    peak("peak_fp8", Need::optional),
    peak("peak_fp4", Need::optional),
    {"memory", Dimension::bytes, 8 * kGiB, 2048 * kGiB, Need::full},
    {"memory_bandwidth", Dimension::bytes_per_second, 100 * kGB, 100 * kTera, Need::full},
    {"memory_bandwidth_efficiency", Dimension::none, 0.1, 1},
    {"l2_cache", Dimension::bytes, 1e6, 4e9},
    rate("nvlink_bandwidth_per_direction", Need::full),
    rate("nvlink_bandwidth_reached", Need::optional, "nvlink_bandwidth_per_direction"),
    rate("c2c_bandwidth_per_direction", Need::optional),
    rate("pcie_bandwidth_per_direction", Need::full),
    rate("nic_bandwidth_per_gpu", Need::full),
    {"host_operation", Dimension::seconds, 1e-6, 1e-3},
    gemm("gemm_best_bf16", "peak_bf16"),
    gemm("gemm_best_fp8", "peak_fp8"),
    gemm("gemm_best_fp8_block", "peak_fp8"),
    gemm("gemm_best_nvfp4", "peak_fp4"),
    gemm("gemm_4096x4096x7168_bf16", "gemm_best_bf16"),
    gemm("gemm_4096x4096x7168_fp8", "gemm_best_fp8"),
    gemm("gemm_4096x4096x7168_fp8_block", "gemm_best_fp8_block"),
    gemm("gemm_4096x4096x7168_nvfp4", "gemm_best_nvfp4"),
    rate("nccl_all_gather_bus_bandwidth", Need::optional, "nvlink_bandwidth_per_direction"),
    rate("nccl_all_to_all_bus_bandwidth", Need::optional, "nvlink_bandwidth_per_direction"),
    rate("nccl_reduce_scatter_bus_bandwidth", Need::optional, "nvlink_bandwidth_per_direction"),
    // No limit: in-switch reduction moves fewer bytes than the ring assumed by the figure.
    rate("nccl_all_reduce_bus_bandwidth", Need::optional),
}};

}  // namespace

std::span<const NumberKind> number_kinds() {
  return kKinds;
}

const NumberKind* find_number_kind(std::string_view key) {
  const auto* found = std::find_if(
      kKinds.begin(), kKinds.end(), [&](const NumberKind& kind) { return kind.key == key; });
  return found == kKinds.end() ? nullptr : found;
}

namespace {

constexpr std::string_view kRule = "config/invalid";

struct Source {
  std::string text;
  std::string date;
  text::Mark mark;
  bool used = false;
};

/// The location to report for a value: its key, otherwise the whole mapping.
text::Mark key_mark(const yaml::Node& node, std::string_view key) {
  for (const yaml::Entry& entry : node.entries) {
    if (entry.key == key) {
      return entry.key_mark;
    }
  }
  return node.mark;
}

/// "2026-11": reports sort by it.
bool is_month(std::string_view date) {
  const auto digits = [](std::string_view part) {
    return std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  return date.size() == 7 && date[4] == '-' && digits(date.substr(0, 4)) &&
         digits(date.substr(5)) && date.substr(5) >= "01" && date.substr(5) <= "12";
}

std::optional<Status> parse_status(std::string_view text) {
  for (const Status status :
       {Status::measured, Status::datasheet, Status::derived, Status::assumed}) {
    if (to_string(status) == text) {
      return status;
    }
  }
  return std::nullopt;
}

class ProfileReader {
 public:
  ProfileReader(const yaml::Node& root, std::vector<text::Diagnostic>& problems)
      : root_(root),
        problems_(problems) {}

  Profile read(const text::SourceFile& file) {
    yaml::MapReader in(root_, "hardware profile", problems_);
    profile_.name = in.required_text("name");
    profile_.aliases = in.texts("aliases");
    profile_.title = in.required_text("title");
    profile_.architecture = in.required_text("architecture");
    profile_.partial = in.boolean("partial").value_or(false);
    profile_.device_name =
        profile_.partial ? in.text("device_name").value_or("") : in.required_text("device_name");
    profile_.driver_names = in.texts("driver_names");
    profile_.cpu = in.text("cpu").value_or("");
    profile_.laws = in.text("laws").value_or("");
    in.required("sources");
    if (const yaml::Node* sources = in.mapping("sources")) {
      read_sources(*sources);
    }
    in.required("numbers");
    if (const yaml::Node* numbers = in.mapping("numbers")) {
      read_numbers(*numbers);
    }
    in.finish();
    check_name(file);
    check_sources();
    return std::move(profile_);
  }

 private:
  void problem(const text::Mark& mark, std::string message, std::string help = {}) {
    problems_.push_back({std::string(kRule), mark, std::move(message), {}, std::move(help)});
  }

  void read_sources(const yaml::Node& node) {
    for (const yaml::Entry& entry : node.entries) {
      const std::string what = fmt::format("source `{}`", entry.key);
      yaml::MapReader in(entry.value, what, problems_);
      Source source;
      source.mark = entry.key_mark;
      source.text = in.required_text("text");
      source.date = in.required_text("date");
      in.finish();
      if (!source.date.empty() && !is_month(source.date)) {
        problem(entry.value.find("date")->mark,
                fmt::format("`date` of {} is `{}`, not a month", what, source.date),
                "write it as 2026-11");
      }
      sources_[entry.key] = std::move(source);
    }
  }

  void read_numbers(const yaml::Node& node) {
    for (const yaml::Entry& entry : node.entries) {
      const NumberKind* kind = find_number_kind(entry.key);
      if (kind == nullptr) {
        std::vector<std::string_view> known;
        for (const NumberKind& each : number_kinds()) {
          known.push_back(each.key);
        }
        problem(
            entry.key_mark,
            fmt::format("unknown number `{}`{}", entry.key, text::did_you_mean(entry.key, known)),
            "hwprofiles/README.md lists the numbers");
        continue;
      }
      if (const auto number = read_number(entry, *kind)) {
        profile_.numbers[entry.key] = *number;
      }
    }
    for (const NumberKind& kind : number_kinds()) {
      check_presence(kind);
      check_limit(kind, node);
    }
    copy_gates();
    check_domain(node);
  }

  std::optional<Sourced> read_number(const yaml::Entry& entry, const NumberKind& kind) {
    const std::size_t before = problems_.size();
    yaml::MapReader in(entry.value, fmt::format("number `{}`", entry.key), problems_);
    const std::string value = in.required_text("value");
    const std::string status = in.required_text("status");
    const std::string source = in.required_text("source");
    in.finish();
    Sourced number;
    if (!value.empty()) {
      read_value(entry, kind, value, number);
    }
    if (!status.empty()) {
      read_status(entry, status, number);
    }
    if (!source.empty()) {
      cite(entry, source, number);
    }
    return problems_.size() == before ? std::optional(number) : std::nullopt;
  }

  void read_value(const yaml::Entry& entry,
                  const NumberKind& kind,
                  const std::string& value,
                  Sourced& number) {
    const text::Mark mark = entry.value.find("value")->mark;
    const auto quantity = units::parse_quantity(value);
    if (!quantity) {
      problem(mark,
              fmt::format("`{}` of `{}` is not a number with a unit", value, entry.key),
              "write it like 3.35 TB/s, 80 GiB, 1830 MHz, 132");
      return;
    }
    if (quantity->dimension != kind.dimension) {
      const auto name = [](units::Dimension dimension) {
        return dimension == units::Dimension::none ? std::string_view("a number without unit")
                                                   : units::to_string(dimension);
      };
      problem(mark,
              fmt::format("`{}` must be {}, not {}",
                          entry.key,
                          name(kind.dimension),
                          name(quantity->dimension)));
      return;
    }
    if (!(quantity->value >= kind.low && quantity->value <= kind.high)) {
      problem(mark,
              fmt::format("`{}` of {} is out of range", entry.key, value),
              fmt::format("between {} and {}; check digits and unit",
                          units::to_text({kind.low, kind.dimension}),
                          units::to_text({kind.high, kind.dimension})));
      return;
    }
    if (kind.whole && quantity->value != std::floor(quantity->value)) {
      problem(mark, fmt::format("`{}` of {} is not a whole number", entry.key, value));
      return;
    }
    number.value = *quantity;
  }

  void read_status(const yaml::Entry& entry, const std::string& text, Sourced& number) {
    const auto status = parse_status(text);
    if (!status) {
      problem(
          entry.value.find("status")->mark,
          fmt::format("`{}` is not a status{}",
                      text,
                      text::did_you_mean(text, {"measured", "datasheet", "derived", "assumed"})),
          "measured, datasheet, derived or assumed");
      return;
    }
    number.status = *status;
  }

  void cite(const yaml::Entry& entry, const std::string& key, Sourced& number) {
    const auto source = sources_.find(key);
    if (source == sources_.end() && root_.find("sources") == nullptr) {
      return;  // reported once, for the profile
    }
    if (source == sources_.end()) {
      std::vector<std::string_view> known;
      for (const auto& [name, unused] : sources_) {
        known.push_back(name);
      }
      problem(
          entry.value.find("source")->mark,
          fmt::format("`{}` is not listed under `sources`{}", key, text::did_you_mean(key, known)),
          "add it under `sources`");
      return;
    }
    source->second.used = true;
    number.source = source->second.text;
    number.date = source->second.date;
  }

  void check_presence(const NumberKind& kind) {
    const bool needed = kind.need == Need::always || (kind.need == Need::full && !profile_.partial);
    const yaml::Node* numbers = root_.find("numbers");
    if (needed && numbers->find(kind.key) == nullptr) {
      problem(key_mark(root_, "numbers"),
              fmt::format("number `{}` is missing", kind.key),
              kind.need == Need::full ? "add it, or mark the profile `partial: true`" : "");
    }
  }

  void check_limit(const NumberKind& kind, const yaml::Node& node) {
    const Sourced* number = profile_.number(kind.key);
    const Sourced* limit = kind.limit.empty() ? nullptr : profile_.number(kind.limit);
    if (number != nullptr && limit != nullptr && number->value.value > limit->value.value) {
      problem(key_mark(node, kind.key),
              fmt::format("`{}` of {} is above `{}` of {}",
                          kind.key,
                          units::to_text(number->value),
                          kind.limit,
                          units::to_text(limit->value)),
              "one of the two is wrong");
    }
  }

  double plain(std::string_view key) const {
    const Sourced* number = profile_.number(key);
    return number == nullptr ? 0 : number->value.value;
  }

  void copy_gates() {
    profile_.compute_capability = plain("compute_capability");
    profile_.sm_count = static_cast<int>(plain("sm_count"));
    profile_.gpus_per_node = static_cast<int>(plain("gpus_per_node"));
    profile_.nvlink_domain = static_cast<int>(plain("nvlink_domain"));
  }

  void check_domain(const yaml::Node& node) {
    const int gpus = profile_.gpus_per_node;
    const int domain = profile_.nvlink_domain;
    if (gpus > 0 && domain > 1 && domain % gpus != 0) {
      problem(key_mark(node, "nvlink_domain"),
              fmt::format(
                  "`nvlink_domain` of {} is not a multiple of the {} GPUs per node", domain, gpus),
              "a domain consists of whole nodes, or is 1 without NVLink");
    }
  }

  void check_name(const text::SourceFile& file) {
    const std::string& path = file.name();
    const std::string base = path.substr(path.find_last_of('/') + 1);
    if (!profile_.name.empty() && base.ends_with(".yaml") && base != profile_.name + ".yaml") {
      problem(key_mark(root_, "name"),
              fmt::format("profile `{}` is in a file named {}", profile_.name, base),
              fmt::format("rename the file to {}.yaml", profile_.name));
    }
  }

  void check_sources() {
    for (const auto& [key, source] : sources_) {
      if (!source.used) {
        problem(source.mark, fmt::format("no number cites source `{}`", key), "remove it");
      }
    }
  }

  const yaml::Node& root_;
  std::vector<text::Diagnostic>& problems_;
  std::map<std::string, Source, std::less<>> sources_;
  Profile profile_;
};

}  // namespace

std::optional<Profile> read_profile(const text::SourceFile& file,
                                    std::vector<text::Diagnostic>& problems) {
  const std::size_t before = problems.size();
  const yaml::Stream stream = yaml::parse(file);
  problems.insert(problems.end(), stream.diagnostics.begin(), stream.diagnostics.end());
  if (stream.documents.size() != 1 || !stream.documents.front().root.is_mapping()) {
    if (problems.size() == before) {
      problems.push_back({std::string(kRule),
                          {&file, 0, 0},
                          "a hardware profile must be a mapping",
                          {},
                          "see hwprofiles/README.md for an example"});
    }
    return std::nullopt;
  }
  Profile profile = ProfileReader(stream.documents.front().root, problems).read(file);
  std::stable_sort(problems.begin() + static_cast<std::ptrdiff_t>(before),
                   problems.end(),
                   [](const text::Diagnostic& a, const text::Diagnostic& b) {
                     return a.mark.begin < b.mark.begin;
                   });
  return problems.size() == before ? std::optional(std::move(profile)) : std::nullopt;
}

namespace {

struct Number {
  std::string key;
  Sourced number;
};

template <class Archive>
void transfer(Archive& archive, Number& entry) {
  auto& [value, status, source, date] = entry.number;
  archive(entry.key, value.value, value.dimension, status, source, date);
}

template <class Archive>
void transfer(Archive& archive, Profile& profile, std::vector<Number>& numbers) {
  archive(profile.name, profile.aliases, profile.title, profile.architecture, profile.device_name);
  archive(profile.driver_names, profile.cpu, profile.compute_capability, profile.gpus_per_node);
  archive(profile.nvlink_domain, profile.sm_count, profile.partial, profile.laws, numbers);
}

}  // namespace

std::string pack_profile(const Profile& profile) {
  Profile copy = profile;
  std::vector<Number> numbers;
  for (const auto& [key, number] : profile.numbers) {
    numbers.push_back({key, number});
  }
  embedded::Writer writer;
  transfer(writer, copy, numbers);
  return writer.bytes();
}

Profile unpack_profile(std::string_view bytes) {
  Profile profile;
  std::vector<Number> numbers;
  embedded::Reader reader(bytes);
  transfer(reader, profile, numbers);
  if (!reader.at_end()) {
    throw std::runtime_error("the compiled hardware profile is damaged");
  }
  for (Number& entry : numbers) {
    profile.numbers.emplace(std::move(entry.key), std::move(entry.number));
  }
  return profile;
}

}  // namespace epwise::hw
