#include "ui/findings/template.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/report_builder.h"

namespace epwise::report {
namespace {

std::string rendered(support::ReportBuilder& builder, const std::string& text) {
  const auto writing = start_template(builder.report(), {}, text);
  for (const LintedFile& file : builder.report().files) {
    writing->add(file);
  }
  std::string out;
  writing->finish([&out](std::string_view part) { out += part; });
  return out;
}

}  // namespace

TEST_CASE("template: findings, alone and by file") {
  support::ReportBuilder b;
  const lint::Rule& rule = b.rule("shape/experts", "SHP001");
  b.file("a.yaml", "model:\n  num_moe_experts: 60\n");
  b.finding(rule, "60 < 61 & more", "60");
  b.finding(rule, "again", "num");
  b.file("b.yaml", "model: {}\n");
  CHECK(
      rendered(
          b, "{{#findings}}{{{path}}}:{{line}}:{{column}} {{severity}} {{code}}\n{{/findings}}") ==
      "a.yaml:2:20 error SHP001\na.yaml:2:3 error SHP001\n");
  CHECK(rendered(b, "{{#findings}}{{message}}{{^last}}, {{/last}}{{/findings}}") ==
        "60 &lt; 61 &amp; more, again");
  CHECK(rendered(b, "{{#findings}}{{{message}}}{{^last}}, {{/last}}{{/findings}}") ==
        "60 < 61 & more, again");
  CHECK(rendered(b,
                 "{{#files}}{{path}}{{#clean}} ok{{/clean}}{{#findings}} "
                 "{{line}}{{/findings}};{{/files}}") == "a.yaml 2 2;b.yaml ok;");
  CHECK(rendered(b, "{{errors}} of {{version}}, {{exit_code}}") == "2 of 0.1.0, 0");
}

TEST_CASE("template: what can't be understood is told") {
  CHECK(template_problem("{{#findings}}{{/findings}}").empty());
  CHECK_FALSE(template_problem("{{#findings}}").empty());
  CHECK(unknown_template_names("{{#findings}}{{mesage}}{{{ path }}}{{! any }}{{/findings}}") ==
        std::vector<std::string>{"mesage"});
}

}  // namespace epwise::report
