#include <ostream>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cli/arguments.h"
#include "cli/commands/all.h"
#include "cli/format_option.h"
#include "cli/manual/document.h"
#include "hw/profile.h"
#include "report/rules/catalogue_json.h"
#include "text/spelling.h"
#include "units/quantity.h"

namespace epwise::cli {

namespace {

using world::UsageError;

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

Document document_of(const hw::Profile& profile) {
  Document document;
  document.title = fmt::format("{}: {}", profile.name, profile.title);
  if (!profile.aliases.empty()) {
    document.subtitle = fmt::format("also known as {}", fmt::join(profile.aliases, ", "));
  }
  Document::Chapter gpu{"GPU"};
  gpu.rows = {
      {"architecture", profile.architecture},
      {"device name", profile.device_name},
      {"compute capability", fmt::format("{:.1f}", profile.compute_capability)},
      {"streaming multiprocessors", std::to_string(profile.sm_count)},
      {"GPUs a node", std::to_string(profile.gpus_per_node)},
      {"GPUs in one NVLink domain", std::to_string(profile.nvlink_domain)},
  };
  document.chapters.push_back(std::move(gpu));
  if (!profile.numbers.empty()) {
    Document::Chapter numbers{"Numbers"};
    for (const auto& [name, number] : profile.numbers) {
      numbers.rows.emplace_back(name, number_text(number));
    }
    document.chapters.push_back(std::move(numbers));
  }
  return document;
}

const hw::Profile& find(const std::string& name) {
  if (const hw::Profile* profile = hw::find_profile(name)) {
    return *profile;
  }
  std::vector<std::string_view> names;
  for (const hw::Profile& profile : hw::profiles()) {
    names.push_back(profile.name);
    names.insert(names.end(), profile.aliases.begin(), profile.aliases.end());
  }
  throw UsageError(fmt::format("no hardware profile `{}`{} (`epwise hw list` names them)",
                               name,
                               text::did_you_mean(name, names)));
}

std::string list_text(int width) {
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

ExitCode run(Session& session, const Arguments& arguments) {
  const bool json = arguments.text_of("--format", "text") == "json";
  const int width = text_width(session.terminal, session.variables);
  std::vector<const hw::Profile*> profiles;
  if (arguments.operands.front() == "list") {
    for (const hw::Profile& profile : hw::profiles()) {
      profiles.push_back(&profile);
    }
    session.out << (json ? report::profiles_json(profiles) : list_text(width));
    return ExitCode::clean;
  }
  if (arguments.operands.size() < 2) {
    throw UsageError("which profile? `epwise hw show h100`; `epwise hw list` names them");
  }
  for (std::size_t i = 1; i < arguments.operands.size(); ++i) {
    profiles.push_back(&find(arguments.operands[i]));
  }
  if (json) {
    session.out << report::profiles_json(profiles);
    return ExitCode::clean;
  }
  for (const hw::Profile* profile : profiles) {
    session.out << (profile == profiles.front() ? "" : "\n")
                << to_text(document_of(*profile), width);
  }
  return ExitCode::clean;
}

}  // namespace

Command hw_command() {
  return {.name = "hw",
          .usage = "hw list | hw show NAME...",
          .summary = "list the hardware profiles, or show one with the source of every number",
          .examples = {{"hw list", "what --hw takes"},
                       {"hw show gb200", "its numbers and where they are from"}},
          .options = {format_option()},
          .actions = {"list", "show"},
          .run = run};
}

}  // namespace epwise::cli
