#include "cli/manual/reference_page.h"

#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lint/range.h"
#include "report/table_cell.h"

namespace epwise::cli {

namespace {

std::string row(const lint::Rule& rule) {
  const auto versions = rule.versions.empty() ? "all" : lint::to_text(rule.versions);
  std::string code(rule.code);
  if (!rule.aliases.empty()) {
    code += fmt::format(" ({})", fmt::join(rule.aliases, ", "));
  }
  return fmt::format("| {} | [{}]({}.yaml) | {}, {} | {} | {} | {} |\n",
                     code,
                     rule.id,
                     rule.id,
                     lint::to_string(rule.severity),
                     lint::to_string(rule.confidence),
                     rule.places.empty() ? "" : "yes",
                     report::table_cell(rule.what),
                     versions);
}

}  // namespace

std::string reference_page(const lint::Knowledge& knowledge) {
  std::string page =
      "# Rules\n\n"
      "Made by `epwise rules reference`; a test keeps it up to date. `epwise explain CODE` says "
      "everything about one.\n\"Launch\": the framework itself rejects it at start-up.\n";
  std::string_view topic;
  for (const auto& rule : knowledge.rules) {
    const auto its = rule.id.substr(0, rule.id.find('/'));
    if (its != topic) {
      topic = its;
      page += fmt::format(
          "\n## {}\n\n| code | rule | severity, confidence | launch | what | versions |\n"
          "|---|---|---|---|---|---|\n",
          topic);
    }
    page += row(rule);
  }
  if (!knowledge.tables.uncovered.empty()) {
    page += "\n## Not rules\n\n| row or upstream check | why not |\n|---|---|\n";
    for (const auto& each : knowledge.tables.uncovered) {
      page += fmt::format("| {} | {} |\n",
                          report::table_cell(each.id.empty() ? each.site : each.id),
                          report::table_cell(each.reason));
    }
  }
  return page;
}

}  // namespace epwise::cli
