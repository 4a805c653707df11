#include "ui/command.h"

#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/embedded/embedded.h"
#include "base/os/files.h"
#include "base/text/source_file.h"
#include "commands/all.h"
#include "session/options/arguments.h"
#include "ui/json.h"
#include "yaml/parse.h"
#include "yaml/reader.h"

namespace epwise::cli {

namespace {

constexpr std::string_view kAboutSupport = R"(COLUMNS
  release     a release of Megatron-Bridge or Megatron-LM (its Megatron-Core has the same number)
  tables      the release whose fields, flags, defaults and checks answer for it
  agreement   share of launches on which the verdict (starts or rejects) is that of the real
              validators
  launches    how many were asked
  date        when

  A release that is not listed is answered with the tables of the next older one, and of the oldest
  where there is none; lint then says so in every format, and --strict fails.
)";

struct Row {
  std::string framework;
  std::string release;
  std::string tables;
  std::string agreement;  // empty: never measured
  std::string launches;
  std::string date;
};

/// support.yaml; the build does not read it, a test does.
std::vector<Row> support_rows() {
  const text::SourceFile file("support.yaml", std::string(embedded::support()));
  const yaml::Stream stream = yaml::parse(file);
  if (stream.documents.size() != 1) {
    throw std::logic_error("support.yaml does not read");
  }
  std::vector<text::Diagnostic> problems;
  std::vector<Row> rows;
  const yaml::Node* const releases = stream.documents.front().root.find("releases");
  for (const yaml::Node& entry :
       releases == nullptr ? std::vector<yaml::Node>() : releases->items) {
    yaml::MapReader in(entry, "a release", problems);
    rows.push_back({.framework = in.required_text("framework"),
                    .release = in.required_text("release"),
                    .tables = in.required_text("tables"),
                    .agreement = in.text("agreement").value_or(""),
                    .launches = in.text("launches").value_or(""),
                    .date = in.text("date").value_or("")});
    in.finish();
  }
  if (!problems.empty() || rows.empty()) {
    throw std::logic_error("support.yaml: " +
                           (problems.empty() ? "no releases" : problems.front().message));
  }
  return rows;
}

std::string_view title(std::string_view framework) {
  return framework == "bridge" ? "Megatron-Bridge" : "Megatron-LM";
}

void print_rows(std::ostream& out, const std::vector<Row>& rows) {
  constexpr std::string_view kLine = "{:<15}  {:<7}  {:<6}  {:<9}  {:>8}  {}\n";
  out << fmt::format(fmt::runtime(kLine), "", "release", "tables", "agreement", "launches", "date");
  for (const Row& row : rows) {
    std::string line = fmt::format(fmt::runtime(kLine),
                                   title(row.framework),
                                   row.release,
                                   row.tables,
                                   row.agreement.empty() ? "-" : row.agreement,
                                   row.launches.empty() ? "-" : row.launches,
                                   row.date);
    line.erase(line.find_last_not_of(" \n") + 1);
    out << line << '\n';
  }
}

ExitCode run_support(Console& console, const Arguments& arguments) {
  if (!arguments.operands.empty()) {
    throw os::UsageError("support takes no argument; it lists all releases");
  }
  const std::vector<Row> rows = support_rows();
  if (arguments.text_of("--format", "text") != "json") {
    print_rows(console.out, rows);
    return ExitCode::clean;
  }
  report::Json releases = report::Json::array();
  for (const Row& row : rows) {
    report::Json entry = {
        {"framework", row.framework}, {"release", row.release}, {"tables", row.tables}};
    if (!row.agreement.empty()) {
      entry["agreement"] = std::stod(row.agreement);
      entry["launches"] = std::stoi(row.launches);
      entry["date"] = row.date;
    }
    releases.push_back(std::move(entry));
  }
  console.out << report::json_text({{"schema", "epwise.support/1"}, {"releases", releases}});
  return ExitCode::clean;
}

}  // namespace

Command support_command() {
  return {.name = "support",
          .usage = "support",
          .summary = "list the releases that are known, and how far the verdict agrees with them",
          .examples = {{"support", "releases, agreement with the real validators, launches, date"}},
          .options = {format_option()},
          .about = kAboutSupport,
          .run = run_support};
}

}  // namespace epwise::cli
