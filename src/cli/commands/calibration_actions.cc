#include "cli/commands/calibration_actions.h"

#include <algorithm>
#include <ostream>
#include <string>

#include <fmt/core.h>

#include "calibrate/merge.h"
#include "calibrate/quantities.h"
#include "cli/calibration/file.h"
#include "cli/report_output.h"
#include "cost/compiled_table.h"
#include "report/calibration/writer.h"

namespace epwise::cli {

namespace {

using calibrate::Calibration;
using world::UsageError;

void want_files(const Arguments& arguments,
                std::size_t least,
                std::size_t most,
                const char* usage) {
  if (arguments.operands.size() < least || arguments.operands.size() > most) {
    throw UsageError(fmt::format("usage: epwise calibrate {}", usage));
  }
}

/// Of points that stand in both the first counts: how many, and whether they say the same.
std::string disagreement(const Calibration& first,
                         const Calibration& next,
                         const std::string& path) {
  int both = 0;
  int apart = 0;
  for (const calibrate::PointChange& change : calibrate::difference(first, next).points) {
    const bool twice = change.before > 0 && change.after > 0;
    both += twice ? 1 : 0;
    apart += twice && change.notable ? 1 : 0;
  }
  return both == 0 ? std::string()
                   : fmt::format(
                         "{}: {} points stood already and count as they stood; "
                         "further apart than both intervals: {}\n",
                         path,
                         both,
                         apart);
}

bool wants_json(const Arguments& arguments) {
  return arguments.text_of("--format", "text") == "json";
}

}  // namespace

ExitCode show_calibration(Session& session, const Arguments& arguments) {
  want_files(arguments, 1, 1, "show FILE");
  const Calibration calibration = load_calibration(session, arguments.operands[0]);
  const cost::Table laws = cost::compiled_table();
  const std::string hw = arguments.text_of("--hw", calibration.hw);
  const auto quantities = calibrate::quantities_of(calibration, laws, hw);
  session.out << (wants_json(arguments) ? report::calibration_json(calibration, quantities, hw)
                                        : report::calibration_text(calibration,
                                                                   quantities,
                                                                   hw,
                                                                   arguments.flag("--points"),
                                                                   style_of(arguments, session)));
  return ExitCode::clean;
}

ExitCode diff_calibrations(Session& session, const Arguments& arguments) {
  want_files(arguments, 2, 2, "diff A B");
  const Calibration before = load_calibration(session, arguments.operands[0]);
  const Calibration after = load_calibration(session, arguments.operands[1]);
  const calibrate::Difference difference = calibrate::difference(before, after);
  session.out << (wants_json(arguments)
                      ? report::difference_json(difference)
                      : report::difference_text(
                            difference, arguments.flag("--points"), style_of(arguments, session)));
  const bool differs = std::any_of(
      difference.points.begin(), difference.points.end(), [](const calibrate::PointChange& change) {
        return change.notable;
      });
  return differs ? ExitCode::findings : ExitCode::clean;
}

ExitCode merge_calibrations(Session& session, const Arguments& arguments) {
  constexpr std::size_t kMostFiles = 1000;
  want_files(arguments, 2, kMostFiles, "merge -o FILE A B...");
  const auto output = arguments.one("--output");
  if (!output) {
    throw UsageError("where to? `epwise calibrate merge -o FILE A B...`");
  }
  Calibration merged = load_calibration(session, arguments.operands[0]);
  for (std::size_t i = 1; i < arguments.operands.size(); ++i) {
    const std::string& path = arguments.operands[i];
    const Calibration next = load_calibration(session, path);
    std::string problem;
    auto more = calibrate::merge(merged, next, problem);
    if (!more) {
      throw UsageError(
          fmt::format("{} can't be merged into the files in front of it: {}", path, problem));
    }
    session.out << disagreement(merged, next, path);
    merged = std::move(*more);
  }
  session.files.write_atomically(output->value, calibrate::to_yaml(merged));
  session.out << fmt::format(
      "{}: {} points, {} laws\n", output->value, merged.points.size(), merged.fits.size());
  return ExitCode::clean;
}

ExitCode check_calibration(Session& session, const Arguments& arguments) {
  want_files(arguments, 1, 1, "check FILE");
  const auto found = calibrate::weaknesses(load_calibration(session, arguments.operands[0]));
  if (wants_json(arguments)) {
    session.out << report::check_json(arguments.operands[0], found);
  } else {
    for (const std::string& weakness : found) {
      session.out << weakness << '\n';
    }
    session.out << (found.empty() ? std::string("no weak spots\n")
                                  : fmt::format("{} weak spots\n", found.size()));
  }
  return found.empty() ? ExitCode::clean : ExitCode::findings;
}

}  // namespace epwise::cli
