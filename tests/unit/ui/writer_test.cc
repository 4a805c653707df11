#include "ui/findings/writer.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/sample_reports.h"

namespace epwise::report {

TEST_CASE("writers: the list, by name") {
  std::vector<std::string_view> names;
  for (const Writer& writer : writers()) {
    names.push_back(writer.name);
    CHECK(find_writer(writer.name) == &writer);
    CHECK_FALSE(writer.summary.empty());
  }
  CHECK(names ==
        std::vector<std::string_view>{
            "full", "concise", "json", "sarif", "github", "gitlab", "junit", "rdjson", "markdown"});
  CHECK(find_writer("xml") == nullptr);
  CHECK(find_writer("") == nullptr);
}

TEST_CASE("writers: every format writes every sample, and an empty report") {
  for (const Writer& writer : writers()) {
    CAPTURE(writer.name);
    for (const support::SampleReport& sample : support::sample_reports()) {
      CAPTURE(sample.name);
      support::ReportBuilder b;
      sample.build(b);
      const std::string text = writer.write(b.report(), {});
      CHECK(text == writer.write(b.report(), {}));
      CHECK((text.empty() || text.back() == '\n'));
      CHECK(text.find("\r") == std::string::npos);
    }
    const std::string empty = writer.write(LintReport{}, {});
    CHECK((empty.empty() || empty.back() == '\n'));
  }
}

}  // namespace epwise::report
