#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "hw/device.h"
#include "hw/machine.h"
#include "support/memory_files.h"

namespace epwise::support {

/// Files in memory with symbolic links to files: links["/usr/bin/python3"] = "/usr/bin/python3.12".
class MachineFiles : public MemoryFiles {
 public:
  using MemoryFiles::MemoryFiles;

  bool is_file(const std::string& path) const override {
    return MemoryFiles::is_file(target(path));
  }

  std::optional<std::string> canonical(const std::string& path) const override {
    return MemoryFiles::canonical(target(path));
  }

  std::map<std::string, std::string> links;

 private:
  std::string target(const std::string& path) const {
    const auto found = links.find(path);
    return found == links.end() ? path : found->second;
  }
};

/// Environment variables; MemoryVariables({{"A", "b"}}) would be ambiguous.
inline MemoryVariables variables(std::map<std::string, std::string> values = {}) {
  return MemoryVariables(std::move(values));
}

/// A driver that says what a test wants.
class FixedProbe : public hw::DeviceProbe {
 public:
  FixedProbe() = default;

  explicit FixedProbe(hw::Devices devices) : devices_(std::move(devices)) {}

  /// `count` equal GPUs behind a recent driver.
  FixedProbe(int count, const std::string& name, double capability) {
    devices_ = {{}, "580.65.06", "13.0", "libnvidia-ml.so.1"};
    for (int i = 0; i < count; ++i) {
      devices_.gpus.push_back({name, capability});
    }
  }

  hw::Devices devices() const override { return devices_; }

 private:
  hw::Devices devices_;
};

/// The head of a METADATA file, with a second `Version:` in the description below.
inline std::string metadata(const std::string& name, const std::string& version) {
  return "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version +
         "\nSummary: x\n\nVersion: 0.0.0 of the description\n";
}

/// "te=2.14.0 (where)" of one component, "" when the machine has none.
inline std::string shown(const hw::Machine& machine, std::string_view name) {
  std::string text;
  for (const auto& each : machine.components) {
    if (each.name == name) {
      text += each.name + "=" + each.version + " (" + each.where + ")";
    }
  }
  return text;
}

/// The version of one component, "" when the machine has none.
inline std::string version(const hw::Machine& machine, std::string_view name) {
  for (const auto& each : machine.components) {
    if (each.name == name) {
      return each.version;
    }
  }
  return "";
}

/// "reason; remedy" of what is missing under that name.
inline std::string missing(const hw::Machine& machine, std::string_view name) {
  std::string text;
  for (const auto& each : machine.missing) {
    if (each.name == name) {
      text += each.reason + "; " + each.remedy;
    }
  }
  return text;
}

/// A package_info.py of version 0.<minor>.0 as Megatron writes it; `pre` is quoted.
inline std::string core_information(const std::string& minor, const std::string& pre) {
  return "MAJOR = 0\nMINOR = " + minor + "\nPATCH = 0\nPRE_RELEASE = " + pre +
         "\n\nVERSION = (MAJOR, MINOR, PATCH, PRE_RELEASE)\n__version__ = '9.9.9'\n";
}

}  // namespace epwise::support
