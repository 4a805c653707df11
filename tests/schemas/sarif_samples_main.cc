// Prints every sample report as SARIF, a line each: its name, a tab, the log.

#include <iostream>

#include "support/sample_reports.h"
#include "ui/findings/writer.h"

int main() {
  const epwise::report::Writer* const sarif = epwise::report::find_writer("sarif");
  if (sarif == nullptr) {
    std::cerr << "no writer is called sarif\n";
    return 1;
  }
  for (const epwise::support::SampleReport& sample : epwise::support::sample_reports()) {
    epwise::support::ReportBuilder builder;
    sample.build(builder);
    std::cout << sample.name << '\t' << sarif->write(builder.report(), {});
  }
}
