#include "calibrate/import/log.h"

#include <string_view>

#include "calibrate/import/deepep_log.h"
#include "calibrate/import/hybridep_log.h"
#include "calibrate/import/log_line.h"
#include "calibrate/import/nccl_log.h"

namespace epwise::calibrate {

std::optional<std::vector<ImportRow>> rows_of_log(const text::SourceFile& file,
                                                  const ImportSettings& settings,
                                                  std::vector<text::Diagnostic>& problems) {
  const std::string_view text = file.bytes();
  if (text.find("Best dispatch") != std::string_view::npos ||
      text.find("Best combine") != std::string_view::npos) {
    return deepep_rows(file, settings, problems);
  }
  if (text.find("> Testing with") != std::string_view::npos &&
      text.find(" GB/s (SU)") != std::string_view::npos) {
    return elastic_rows(file);
  }
  if (text.find("HybridEP dispatch") != std::string_view::npos) {
    return hybridep_rows(file, problems);
  }
  if (text.find("algbw") != std::string_view::npos) {
    return nccl_rows(file, settings, problems);
  }
  if (text.find("epwise.calibration/") != std::string_view::npos) {
    problems.push_back(log_trouble(file,
                                   "this is a calibration and needs no import",
                                   "`epwise calibrate merge` puts several into one"));
    return std::nullopt;
  }
  problems.push_back(
      log_trouble(file,
                  "this is no file of timings that epwise knows",
                  "output of nccl-tests, of DeepEP's or HybridEP's tests, CSV with a "
                  "header (kind, us, …), or a JSON object a line"));
  return std::nullopt;
}

}  // namespace epwise::calibrate
