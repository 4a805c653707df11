#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"
#include "base/units/quantity.h"

namespace epwise::hw {

/// The source of a number.
enum class Status : std::uint8_t { measured, datasheet, derived, assumed };

/// A number with its source, e.g. 3.35 TB/s, datasheet, document, date.
struct Sourced {
  units::Quantity value;
  Status status = Status::assumed;
  std::string source;  // document or measurement
  std::string date;    // "2026-11"
};

/// One kind of GPU with its node and network, read from hwprofiles/<name>.yaml (its README
/// describes the format). Unknown values are empty or 0, never guessed.
struct Profile {
  std::string name;                  // "h100", "gb200"
  std::vector<std::string> aliases;  // "gb200-nvl72"
  std::string title;                 // "H100 SXM5 80GB"
  std::string architecture;          // "H100": compared by rules as hw.arch
  // as reported by the driver: "NVIDIA H100 80GB HBM3"; available to rules as hw.name
  std::string device_name;
  std::vector<std::string> driver_names;  // other reported names; a trailing `*` matches the rest
  std::string cpu;                        // "x86-64", "arm64 (Grace, one for two GPUs)"
  // 9.0, 10.3; available to rules as hw.cc, and its integer part as hw.cc_major
  double compute_capability = 0;
  int gpus_per_node = 8;
  int nvlink_domain = 8;  // GPUs connected by NVLink
  int sm_count = 0;
  bool partial = false;  // known by name, with only the few facts that rules need
  std::string laws;      // the profile whose cost laws apply; empty: its own
  // "memory_bandwidth", "peak_bf16", "nvlink_bandwidth_per_direction", …
  std::map<std::string, Sourced, std::less<>> numbers;

  const Sourced* number(std::string_view key) const;
};

/// All profiles embedded by the build, by name.
const std::vector<Profile>& profiles();

/// Whether a value of --hw names a file: "cluster/h100-own.yaml".
bool is_profile_file(std::string_view text);

/// The profile in a file of the user's, kept as long as the program runs; null pointer with problems
/// if there is none.
const Profile* add_profile(const text::SourceFile& file, std::vector<text::Diagnostic>& problems);

/// By name or alias, ignoring case; null pointer if there is none.
const Profile* find_profile(std::string_view name);

/// The profile for a device name reported by the driver: "NVIDIA GB200" → gb200. A card with only a
/// similar name has none: "NVIDIA H100 PCIe" → null pointer.
const Profile* find_profile_of_device(std::string_view driver_name);

/// YAML text → profile, or every problem in it (missing keys, numbers without a source, values out
/// of range, measurements above the peak). Example:
///   hwprofiles/x100.yaml:9:21: `nvlink_bandwidth_per_direction` must be bytes/s, not bytes
std::optional<Profile> read_profile(const text::SourceFile& file,
                                    std::vector<text::Diagnostic>& problems);

std::string_view to_string(Status status);

/// A profile as the bytes embedded by the build: parsing the YAML of all profiles would take longer
/// than checking a recipe. Writer and reader come from the same build.
std::string pack_profile(const Profile& profile);

/// Throws std::runtime_error for bytes not written by pack_profile.
Profile unpack_profile(std::string_view bytes);

}  // namespace epwise::hw
