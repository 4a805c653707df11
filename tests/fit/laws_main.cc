/// fit_laws TABLES ROWS [--cross] [--write] [NAME...]: fits the parameters of the cost laws to
/// published measurements (facts/micro_rows.jsonl) and compares them with the tables
/// (hwprofiles/costlaws). NAME is the beginning of an entry's name ("gemm h100").
///
/// One line an entry: rows, errors with the table's parameters and with fitted ones (median/p90);
/// --cross adds errors of shapes left out. --write puts values, deviation and a note on the rows
/// into the tables. Without it the exit status is 1 when a fit finds better values than a table
/// has.

#include <algorithm>
#include <cstdio>
#include <deque>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/os/disk_files.h"
#include "fit/law_fit.h"
#include "fit/table_text.h"

namespace {

using namespace epwise;

/// A table is as good as a fit when its loss is at most this much higher.
constexpr double kTolerance = 1.12;

struct Command {
  std::string tables;
  std::string rows;
  bool cross = false;
  bool write = false;
  std::vector<std::string> names;
};

Command parse(const std::vector<std::string>& words) {
  Command command;
  for (const std::string& word : words) {
    if (word == "--cross") {
      command.cross = true;
    } else if (word == "--write") {
      command.write = true;
    } else if (command.tables.empty()) {
      command.tables = word;
    } else if (command.rows.empty()) {
      command.rows = word;
    } else {
      command.names.push_back(word);
    }
  }
  return command;
}

bool is_asked(const Command& command, const std::string& name) {
  return command.names.empty() ||
         std::any_of(command.names.begin(), command.names.end(), [&](const std::string& each) {
           return name.starts_with(each);
         });
}

std::string errors_text(const fit::Errors& errors) {
  return fmt::format("{:.3f}/{:.3f}", errors.median, errors.p90);
}

/// Twice this covers 95 % of rows whose shapes were left out.
double deviation_of(const fit::Errors& crossed) {
  return std::max(1.3 * crossed.median, crossed.p90 / 1.9);
}

/// The entries of all tables, and the file of each.
struct Tables {
  std::deque<text::SourceFile> sources;  // diagnostics point into them
  std::vector<cost::TableEntry> entries;
  std::vector<std::string> paths;
};

Tables read_tables(const os::Files& files, const std::string& folder) {
  Tables tables;
  std::vector<text::Diagnostic> problems;
  for (const std::string& name : files.list(folder)) {
    if (!name.ends_with(".yaml")) {
      continue;
    }
    const std::string path = folder + "/" + name;
    tables.sources.emplace_back(path, files.read(path));
    for (cost::TableEntry& entry : cost::read_entries(tables.sources.back(), problems)) {
      tables.entries.push_back(std::move(entry));
      tables.paths.push_back(path);
    }
  }
  if (!problems.empty()) {
    throw std::runtime_error(problems.front().message);
  }
  return tables;
}

std::string line_of(const cost::TableEntry& entry, std::size_t rows, const fit::Outcome& outcome) {
  std::string line = fmt::format("{:<36} rows {:>3}  table {}  fit {}",
                                 entry.basis.name,
                                 rows,
                                 errors_text(outcome.present),
                                 errors_text(outcome.errors));
  line += outcome.crossed.p90 > 0 ? "  left out " + errors_text(outcome.crossed) : "";
  for (std::size_t i = 0; i < outcome.values.size(); ++i) {
    line += fmt::format(" {}={:.4g}", entry.fitted[i], outcome.values[i]);
  }
  return line;
}

void write(os::Files& files,
           const std::string& path,
           const cost::TableEntry& entry,
           std::size_t rows,
           const fit::Outcome& outcome) {
  const std::string note = fmt::format("{} rows met within {} (median/p90), {} when left out",
                                       rows,
                                       errors_text(outcome.errors),
                                       errors_text(outcome.crossed));
  const double deviation = deviation_of(outcome.crossed);
  files.write_atomically(
      path, fit::with_values(files.read(path), entry, outcome.values, deviation, note));
}

int run(const Command& command) {
  os::DiskFiles files;
  if (!files.is_file(command.rows)) {
    std::fputs(fmt::format("skipped: no {}\n", command.rows).c_str(), stdout);
    return 77;
  }
  const Tables tables = read_tables(files, command.tables);
  const fit::LawFit laws(tables.entries, files.read(command.rows));
  bool reproduced = true;
  for (std::size_t i = 0; i < tables.entries.size(); ++i) {
    const cost::TableEntry& entry = tables.entries[i];
    if (entry.fitted.empty() || !is_asked(command, entry.basis.name)) {
      continue;
    }
    const std::size_t rows = laws.samples(i).size();
    const fit::Outcome outcome = laws.fit(i, command.cross || command.write);
    const bool good = outcome.present_loss <= kTolerance * outcome.loss;
    reproduced = reproduced && good;
    std::string line = line_of(entry, rows, outcome);
    if (!good) {
      line += fmt::format("  <- {:.0f} % less loss than the table",
                          100 * (1 - outcome.loss / outcome.present_loss));
    }
    std::fputs((line + "\n").c_str(), stdout);
    std::fflush(stdout);
    if (command.write) {
      write(files, tables.paths[i], entry, rows, outcome);
    }
  }
  return reproduced || command.write ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Command command = parse({argv + 1, argv + argc});
    if (command.rows.empty()) {
      std::fputs("usage: fit_laws TABLES ROWS [--cross] [--write] [NAME...]\n", stderr);
      return 2;
    }
    return run(command);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fit_laws: %s\n", error.what());
    return 1;
  }
}
