#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "commands/all.h"
#include "session/options/arguments.h"
#include "session/target/resolution.h"
#include "ui/catalogue_json.h"
#include "ui/command.h"
#include "ui/document.h"

namespace epwise::cli {

namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

std::string with_place(const std::string& text, const std::string& where) {
  return where.empty() ? text : fmt::format("{}  ({})", text, where);
}

Page::Chapter target_chapter(const hw::Machine& machine) {
  Page::Chapter chapter{"Target"};
  if (machine.profile != nullptr) {
    chapter.rows.emplace_back("--hw", with_place(machine.profile->name, machine.profile_where));
  }
  if (machine.job_gpus) {
    chapter.rows.emplace_back("--gpus",
                              with_place(std::to_string(*machine.job_gpus), machine.job_where));
  }
  if (!machine.container.empty()) {
    chapter.rows.emplace_back("container", machine.container);
  }
  for (const hw::Component& component : machine.components) {
    chapter.rows.emplace_back(component.name, with_place(component.version, component.where));
  }
  if (chapter.rows.empty()) {
    chapter.paragraphs.emplace_back("Nothing found to check a recipe against.");
  }
  return chapter;
}

Page machine_document(const hw::Machine& machine) {
  Page document;
  document.title = "This machine, as detected by --hw auto and --stack auto";
  document.chapters.push_back(target_chapter(machine));
  if (!machine.facts.empty()) {
    Page::Chapter facts{"Found"};
    for (const hw::Fact& fact : machine.facts) {
      facts.rows.emplace_back(fact.name, with_place(fact.value, fact.where));
    }
    document.chapters.push_back(std::move(facts));
  }
  if (!machine.missing.empty()) {
    Page::Chapter missing{"Missing"};
    for (const hw::Missing& each : machine.missing) {
      missing.rows.emplace_back(
          each.name,
          each.remedy.empty() ? each.reason : fmt::format("{}; pass {}", each.reason, each.remedy));
    }
    document.chapters.push_back(std::move(missing));
  }
  return document;
}

ExitCode run_doctor(Console& console, const Arguments& arguments) {
  const ThisMachine machine(console.host());
  if (arguments.text_of("--format", "text") == "json") {
    console.out << report::machine_json(machine.get());
  } else {
    console.out << to_text(machine_document(machine.get()),
                           text_width(console.terminal, console.variables));
  }
  return ExitCode::clean;
}

}  // namespace

Command doctor_command() {
  return {.name = "doctor",
          .usage = "doctor",
          .summary = "show what epwise detects on this machine, and which options provide the rest",
          .examples = {{"doctor", "the first command to run in a container"},
                       {"doctor --format json", "machine-readable output"}},
          .options = {format_option()},
          .run = run_doctor};
}

}  // namespace epwise::cli
