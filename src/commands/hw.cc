#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/text/spelling.h"
#include "base/units/quantity.h"
#include "commands/all.h"
#include "hw/profile.h"
#include "session/options/arguments.h"
#include "session/target/resolution.h"
#include "ui/catalogue_json.h"
#include "ui/command.h"
#include "ui/document.h"
#include "ui/json.h"

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

std::string yaml_text(std::string_view text) {
  return report::Json(text).dump();
}

/// The file of a profile, to start one's own from.
std::string profile_yaml(const hw::Profile& profile) {
  std::string text = fmt::format("name: {}\ntitle: {}\narchitecture: {}\ndevice_name: {}\n",
                                 profile.name,
                                 yaml_text(profile.title),
                                 yaml_text(profile.architecture),
                                 yaml_text(profile.device_name));
  if (!profile.cpu.empty()) {
    text += fmt::format("cpu: {}\n", yaml_text(profile.cpu));
  }
  text += profile.partial ? "partial: true\n"
                          : fmt::format("laws: {}  # whose cost laws predict a step\n",
                                        profile.laws.empty() ? profile.name : profile.laws);
  std::map<std::pair<std::string, std::string>, std::string> names;
  std::string sources;
  std::string numbers;
  for (const auto& [name, number] : profile.numbers) {
    const auto [found, fresh] =
        names.try_emplace({number.source, number.date}, fmt::format("s{}", names.size() + 1));
    if (fresh) {
      sources += fmt::format(
          "  {}: {{text: {}, date: {}}}\n", found->second, yaml_text(number.source), number.date);
    }
    numbers += fmt::format("  {}: {{value: {}, status: {}, source: {}}}\n",
                           name,
                           units::to_text(number.value),
                           to_string(number.status),
                           found->second);
  }
  return fmt::format("{}\nsources:\n{}\nnumbers:\n{}", text, sources, numbers);
}

const hw::Profile& known_profile(const Console& console, const std::string& name) {
  if (const hw::Profile* profile = hw::find_profile(name)) {
    return *profile;
  }
  if (hw::is_profile_file(name)) {
    return session::profile_in_file(name, console.files);
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
    profiles.push_back(&known_profile(console, arguments.operands[i]));
  }
  if (json) {
    console.out << report::profiles_json(profiles);
    return ExitCode::clean;
  }
  if (arguments.text_of("--format", "text") == "yaml") {
    if (profiles.size() != 1) {
      throw UsageError("--format yaml prints one profile: `epwise hw show h100 --format yaml`");
    }
    console.out << profile_yaml(*profiles.front());
    return ExitCode::clean;
  }
  for (const hw::Profile* profile : profiles) {
    console.out << (profile == profiles.front() ? "" : "\n")
                << to_text(profile_document(*profile), width);
  }
  return ExitCode::clean;
}

}  // namespace

namespace {

constexpr std::string_view kAboutFiles = R"(PROFILES OF YOUR OWN
  --hw takes the path of a YAML file as well. `epwise hw show h100 --format yaml > ours.yaml` writes
  one to start from: change `name` to the name of the file, and the numbers with their sources.
  Without `laws`, the profile whose cost laws predict a step, only rules use it.
)";

Option profile_format_option() {
  Option option = format_option();
  option.summary = "text (default) or json; for show also yaml, the file of a profile";
  option.words = {"text", "json", "yaml"};
  return option;
}

}  // namespace

Command hw_command() {
  return {.name = "hw",
          .usage = "hw list | hw show NAME...",
          .summary = "list the hardware profiles, or show one with the source of every number",
          .examples = {{"hw list", "the values of --hw"},
                       {"hw show gb200", "its numbers and their sources"}},
          .options = {profile_format_option()},
          .actions = {"list", "show"},
          .about = kAboutFiles,
          .run = run_hw};
}

}  // namespace epwise::cli
