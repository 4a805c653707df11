#include <ostream>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/text/spelling.h"
#include "base/units/quantity.h"
#include "commands/all.h"
#include "hw/profile.h"
#include "session/options/arguments.h"
#include "ui/catalogue_json.h"
#include "ui/command.h"
#include "ui/document.h"

namespace epwise::cli {

namespace {

using os::UsageError;

std::string number_text(const hw::Sourced& number) {
  std::string text = fmt::format("{} ({}", units::to_text(number.value), to_string(number.status));
  if (!number.source.empty()) {
    text += fmt::format(": {}", number.source);
  }
  if (!number.date.empty()) {
    text += fmt::format(", {}", number.date);
  }
  return text + ")";
}

Page profile_document(const hw::Profile& profile) {
  Page document;
  document.title = fmt::format("{}: {}", profile.name, profile.title);
  if (!profile.aliases.empty()) {
    document.subtitle = fmt::format("also known as {}", fmt::join(profile.aliases, ", "));
  }
  Page::Chapter gpu{"GPU"};
  gpu.rows = {
      {"architecture", profile.architecture},
      {"device name", profile.device_name},
      {"compute capability", fmt::format("{:.1f}", profile.compute_capability)},
      {"streaming multiprocessors", std::to_string(profile.sm_count)},
      {"GPUs per node", std::to_string(profile.gpus_per_node)},
      {"GPUs per NVLink domain", std::to_string(profile.nvlink_domain)},
  };
  document.chapters.push_back(std::move(gpu));
  if (!profile.numbers.empty()) {
    Page::Chapter numbers{"Numbers"};
    for (const auto& [name, number] : profile.numbers) {
      numbers.rows.emplace_back(name, number_text(number));
    }
    document.chapters.push_back(std::move(numbers));
  }
  return document;
}

const hw::Profile& known_profile(const std::string& name) {
  if (const hw::Profile* profile = hw::find_profile(name)) {
    return *profile;
  }
  std::vector<std::string_view> names;
  for (const hw::Profile& profile : hw::profiles()) {
    names.push_back(profile.name);
    names.insert(names.end(), profile.aliases.begin(), profile.aliases.end());
  }
  throw UsageError(fmt::format("unknown hardware profile `{}`{} (see `epwise hw list`)",
                               name,
                               text::did_you_mean(name, names)));
}

std::string profiles_text(int width) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const hw::Profile& profile : hw::profiles()) {
    std::string text = profile.title;
    if (!profile.aliases.empty()) {
      text += fmt::format("; also {}", fmt::join(profile.aliases, ", "));
    }
    rows.emplace_back(profile.name, text + (profile.partial ? "; few facts known" : ""));
  }
  return two_columns(rows, 0, width);
}

ExitCode run_hw(Console& console, const Arguments& arguments) {
  const bool json = arguments.text_of("--format", "text") == "json";
  const int width = text_width(console.terminal, console.variables);
  std::vector<const hw::Profile*> profiles;
  if (arguments.operands.front() == "list") {
    for (const hw::Profile& profile : hw::profiles()) {
      profiles.push_back(&profile);
    }
    console.out << (json ? report::profiles_json(profiles) : profiles_text(width));
    return ExitCode::clean;
  }
  if (arguments.operands.size() < 2) {
    throw UsageError("no profile given: `epwise hw show h100`; see `epwise hw list`");
  }
  for (std::size_t i = 1; i < arguments.operands.size(); ++i) {
    profiles.push_back(&known_profile(arguments.operands[i]));
  }
  if (json) {
    console.out << report::profiles_json(profiles);
    return ExitCode::clean;
  }
  for (const hw::Profile* profile : profiles) {
    console.out << (profile == profiles.front() ? "" : "\n")
                << to_text(profile_document(*profile), width);
  }
  return ExitCode::clean;
}

}  // namespace

Command hw_command() {
  return {.name = "hw",
          .usage = "hw list | hw show NAME...",
          .summary = "list the hardware profiles, or show one with the source of every number",
          .examples = {{"hw list", "the values of --hw"},
                       {"hw show gb200", "its numbers and their sources"}},
          .options = {format_option()},
          .actions = {"list", "show"},
          .run = run_hw};
}

}  // namespace epwise::cli
