#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/diagnostic.h"
#include "units/quantity.h"

namespace epwise::hw {

/// How a number was learnt.
enum class Status : std::uint8_t { measured, datasheet, derived, assumed };

/// A number that knows where it came from, e.g. 3.35 TB/s, datasheet, document, date.
struct Sourced {
  units::Quantity value;
  Status status = Status::assumed;
  std::string source;  // document or measurement
  std::string date;    // "2026-11"
};

/// One GPU kind with its node and network, read from hwprofiles/<name>.yaml (its README describes
/// the format). What nobody knows is empty or 0, never a guess.
struct Profile {
  std::string name;                  // "h100", "gb200"
  std::vector<std::string> aliases;  // "gb200-nvl72"
  std::string title;                 // "H100 SXM5 80GB"
  std::string architecture;          // "H100": what rules compare as hw.arch
  std::string device_name;  // as the driver reports it: "NVIDIA H100 80GB HBM3"; rules see hw.name
  std::vector<std::string> driver_names;  // other reported names; a `*` at the end matches the rest
  std::string cpu;                        // "x86-64", "arm64 (Grace, one for two GPUs)"
  double compute_capability = 0;  // 9.0, 10.3; rules see hw.cc, and its whole part as hw.cc_major
  int gpus_per_node = 8;
  int nvlink_domain = 8;  // GPUs that reach each other over NVLink
  int sm_count = 0;
  bool partial = false;  // known by name, with the few facts that gates read
  std::map<std::string, Sourced, std::less<>>
      numbers;  // "memory_bandwidth", "peak_bf16", "nvlink_bandwidth_per_direction", …

  const Sourced* number(std::string_view key) const;
};

/// All profiles that the build embedded, by name.
const std::vector<Profile>& profiles();

/// By name or alias, ignoring case; null pointer when there is none.
const Profile* find_profile(std::string_view name);

/// The profile of a device as the driver names it: "NVIDIA GB200" → gb200. A card that only looks
/// alike has none: "NVIDIA H100 PCIe" → null pointer.
const Profile* find_profile_of_device(std::string_view driver_name);

/// YAML text → profile, or every problem in it (keys missing, numbers without source, values out of
/// range, measurements above the peak). Example:
///   hwprofiles/x100.yaml:9:21: `nvlink_bandwidth_per_direction` wants bytes/s, not bytes
std::optional<Profile> read_profile(const text::SourceFile& file,
                                    std::vector<text::Diagnostic>& problems);

std::string_view to_string(Status status);

}  // namespace epwise::hw
