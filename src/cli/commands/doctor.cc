#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "cli/arguments.h"
#include "cli/commands/all.h"
#include "cli/format_option.h"
#include "cli/manual/document.h"
#include "cli/target/this_machine.h"
#include "report/rules/catalogue_json.h"

namespace epwise::cli {

namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

std::string with_place(const std::string& text, const std::string& where) {
  return where.empty() ? text : fmt::format("{}  ({})", text, where);
}

Document::Chapter target_chapter(const hw::Machine& machine) {
  Document::Chapter chapter{"Target"};
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
    chapter.paragraphs.emplace_back("Nothing that a recipe could be checked against.");
  }
  return chapter;
}

Document document_of(const hw::Machine& machine) {
  Document document;
  document.title = "This machine, as --hw auto and --stack auto see it";
  document.chapters.push_back(target_chapter(machine));
  if (!machine.facts.empty()) {
    Document::Chapter facts{"Found"};
    for (const hw::Fact& fact : machine.facts) {
      facts.rows.emplace_back(fact.name, with_place(fact.value, fact.where));
    }
    document.chapters.push_back(std::move(facts));
  }
  if (!machine.missing.empty()) {
    Document::Chapter missing{"Missing"};
    for (const hw::Missing& each : machine.missing) {
      missing.rows.emplace_back(each.name,
                                each.remedy.empty()
                                    ? each.reason
                                    : fmt::format("{}; say it with {}", each.reason, each.remedy));
    }
    document.chapters.push_back(std::move(missing));
  }
  return document;
}

ExitCode run(Session& session, const Arguments& arguments) {
  const ThisMachine machine(session);
  if (arguments.text_of("--format", "text") == "json") {
    session.out << report::machine_json(machine.get());
  } else {
    session.out << to_text(document_of(machine.get()),
                           text_width(session.terminal, session.variables));
  }
  return ExitCode::clean;
}

}  // namespace

Command doctor_command() {
  return {.name = "doctor",
          .usage = "doctor",
          .summary = "what epwise finds on this machine, and which option says what is missing",
          .examples = {{"doctor", "the first command in a container"},
                       {"doctor --format json", "for a program"}},
          .options = {format_option()},
          .run = run};
}

}  // namespace epwise::cli
