/// Any bytes as a template of a report: refused with words, or every sample report is written.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "support/fuzz_target.h"
#include "support/report_builder.h"
#include "support/require.h"
#include "ui/findings/template.h"

namespace {

using epwise::support::ReportBuilder;

ReportBuilder& sample() {
  static ReportBuilder builder;
  static const bool kBuilt = [] {
    const auto& rule = builder.rule("shape/experts", "SHP001");
    builder.file("a.yaml", "model:\n  num_moe_experts: 60\n");
    builder.finding(rule, "60 < 61 & more", "60");
    builder.file("b.yaml", "model: {}\n");
    return true;
  }();
  epwise::support::require(kBuilt);
  return builder;
}

}  // namespace

FUZZ_TARGET(template) {
  constexpr std::size_t kMost = 1U << 12U;
  if (size > kMost) {
    return 0;
  }
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const auto& name : epwise::report::unknown_template_names(text)) {
    epwise::support::require(!name.empty());
  }
  if (!epwise::report::template_problem(text).empty()) {
    return 0;
  }
  const auto& report = sample().report();
  const auto writing = epwise::report::start_template(report, {}, text);
  for (const auto& file : report.files) {
    writing->add(file);
  }
  writing->finish([](std::string_view) {});
  return 0;
}
