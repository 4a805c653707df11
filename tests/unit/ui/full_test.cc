#include <string>

#include <doctest/doctest.h>

#include "support/formats.h"
#include "support/sample_reports.h"
#include "ui/columns.h"
#include "ui/findings/writer.h"

namespace epwise::report {
namespace {

const char* const kFullRecipe =
    "model:\n"
    "  num_moe_experts: 60\n"
    "  moe_token_dispatcher_type: flex\n"
    "  moe_flex_dispatcher_backend: deepep\n";

std::string full(support::ReportBuilder& builder, const Style& style = {}) {
  return '\n' + support::written("full", builder.report(), style);
}

}  // namespace

TEST_CASE("full: success is one line") {
  support::ReportBuilder b;
  b.file("a.yaml", kFullRecipe);
  CHECK(full(b) == R"(
ok: a.yaml starts, 212 rules, Megatron-Bridge 0.6.2, h100 x 16, te 2.14.0 (--hw, --gpus, --stack), 0
  findings
)");
  b.file("b.yaml", kFullRecipe).target = "h100 x 32";
  b.file("c.yaml", kFullRecipe);
  CHECK(full(b) == "\nok: 3 files, 3 start, 212 rules, 0 findings\n");
  CHECK(full(b, {.quiet = true}) == "\n");
}

TEST_CASE("full: a finding with everything that there is to say") {
  support::ReportBuilder b;
  lint::Rule& rule = b.rule("shape/experts", "SHP001");
  rule.why = "Every rank holds the same number of experts, e.g. 8. Upstream raises then.\n";
  rule.places = {{"bridge", "transformer-config", 12}};
  rule.prose.edit().references = {
      {"NVIDIA/Megatron-LM", "megatron/core/config.py", "3013", "d98e8a64"},
      {"", "https://example.org/issue/7", "", ""},
      {"NVIDIA/Megatron-LM", "megatron/arguments.py", "", ""}};
  b.file("recipes/a.yaml", kFullRecipe);
  lint::Finding& finding = b.finding(rule, "60 experts do not divide over 8 expert ranks", "60");
  finding.primary.label = "not a multiple of 8";
  finding.related = {{b.mark("flex"), "/model", "spread by this"}};
  finding.evidence = {{"model.num_moe_experts", "60", "recipes/a.yaml:2"},
                      {"model.expert_model_parallel_size", "8", "default"},
                      {"is_moe", "true", "derived"},
                      {"model.add_bias_linear", "false", "default"},
                      {"EP", "8", "derived"},
                      {"hw", "h100", "--hw"},
                      {"te", "2.14.0", "--stack"},
                      {"torch", "2.9.1", "--stack"}};
  finding.assumed = {"te counts as installed", "NVTE_FLASH_ATTN counts as unset"};
  finding.fixes = {{"Take a multiple of 8",
                    lint::Tier::training,
                    {{"model.num_moe_experts", "64", b.mark("60")}}},
                   {"", lint::Tier::performance, {{"model.expert_model_parallel_size", "4", {}}}},
                   {"",
                    lint::Tier::neutral,
                    {{"model.num_moe_experts", "", b.mark("60")},
                     {"model.moe_token_dispatcher_type", "flex", b.mark("flex")}}},
                   {"Ask the authors", lint::Tier::neutral, {}}};
  b.rejects(rule, "transformer-config");
  CHECK(full(b, {.width = 80}) == R"(
recipes/a.yaml: would not start: shape/experts (SHP001) at stage
  transformer-config
  = checked against: Megatron-Bridge 0.6.2, h100 x 16, te 2.14.0 (--hw,
      --gpus, --stack)

── will not start

error[shape/experts]: 60 experts do not divide over 8 expert ranks
 --> recipes/a.yaml:2:20
  |
2 |   num_moe_experts: 60
  |                    ^^ not a multiple of 8
3 |   moe_token_dispatcher_type: flex
  |                              ---- spread by this
  |
  = target: hw h100 (--hw), te 2.14.0, torch 2.9.1 (--stack)
  = values: model.expert_model_parallel_size 8 (default), EP 8
  = assumed: te counts as installed; NVTE_FLASH_ATTN counts as unset
  = why: Every rank holds the same number of experts, e.g. 8
  = fix [training]: Take a multiple of 8: model.num_moe_experts: 60 → 64
      (line 2)
  = fix [performance]: add model.expert_model_parallel_size: 4
  = fix [neutral]: remove model.num_moe_experts (line 2)
  = help: Ask the authors
  = evidence: checked by the framework at start-up, Megatron-LM@d98e8a64
      config.py:3013, example.org/issue/7 and 1 more
  = see: epwise explain SHP001

1 error in 1 file (212 rules)
)");
}

TEST_CASE("full: what is the same for every finding of a rule is said once") {
  support::ReportBuilder b;
  lint::Rule& rule = b.rule("shape/experts", "SHP001");
  rule.why = "Ranks hold the same number.";
  b.file("a.yaml", kFullRecipe);
  b.finding(rule, "60 is odd", "60");
  b.rejects(rule, "transformer-config");
  b.file("b.yaml", kFullRecipe);
  b.finding(rule, "60 is odd here too", "60");
  b.file("c.yaml", kFullRecipe);
  CHECK(full(b) == R"(
a.yaml: would not start: shape/experts (SHP001) at stage transformer-config
  = checked against: Megatron-Bridge 0.6.2, h100 x 16, te 2.14.0 (--hw, --gpus, --stack)

── will not start

error[shape/experts]: 60 is odd
 --> a.yaml:2:20
  |
2 |   num_moe_experts: 60
  |                    ^^
  |
  = why: Ranks hold the same number
  = evidence: proven
  = see: epwise explain SHP001

b.yaml: passes the start-up checks but fails later: SHP001

── will not start

error[shape/experts]: 60 is odd here too
 --> b.yaml:2:20
  |
2 |   num_moe_experts: 60
  |                    ^^
  |

2 errors in 2 of 3 files (212 rules, 2 start, 1 would not start)
)");
}

TEST_CASE("full: values that the user wrote and the framework replaces") {
  support::ReportBuilder b;
  b.file("a.yaml", kFullRecipe);
  b.rewrite("model.moe_token_dispatcher_type",
            expr::Value::of("flex"),
            expr::Value::of("alltoall"),
            "no flex backend on this GPU",
            "flex");
  b.rewrite("model.moe_router_dtype", {}, expr::Value::of("fp32"), "nobody wrote it");
  b.rewrite("model.moe_flex_dispatcher_backend", {}, expr::Value::of("hybridep"), "open", "deepep");
  b.rewrite("model.num_moe_experts", expr::Value::of(60), expr::Value::of(60), "the same", "60");
  CHECK(full(b) == R"(
a.yaml: starts
  = checked against: Megatron-Bridge 0.6.2, h100 x 16, te 2.14.0 (--hw, --gpus, --stack)
  = executed as: model.moe_token_dispatcher_type flex → alltoall (line 3): no flex backend on
      this GPU

ok: 1 file, 212 rules, 0 findings
)");
}

TEST_CASE("full: many rewritten values are cut short unless --verbose asks for them") {
  support::ReportBuilder b;
  b.file("a.yaml", kFullRecipe);
  for (int i = 0; i < 20; ++i) {
    b.rewrite("model.x" + std::to_string(i), expr::Value::of(1), expr::Value::of(2), "so", "60");
  }
  CHECK(full(b).find("executed as: and 8 more (--verbose)") != std::string::npos);
  CHECK(full(b).find("model.x12") == std::string::npos);
  CHECK(full(b, {.verbose = true}).find("model.x19") != std::string::npos);
}

TEST_CASE("full: undecided rules are summed up by what would settle them") {
  support::ReportBuilder b;
  const lint::Rule& one = b.rule("shape/experts", "SHP001");
  const lint::Rule& two = b.rule("dispatcher/knob", "DSP020");
  b.file("a.yaml", kFullRecipe);
  b.open(one, {"gpus", "stack.te"});
  b.open(two, {"stack.te"});
  b.open(two, {"${GBS}"});
  lint::Launch& launch = b.report().files.back().result.launch;
  launch.verdict = lint::Verdict::undecided;
  launch.needs = {"gpus", "stack.te"};
  const std::string brief = R"(
a.yaml: launch undecided, unknown: gpus and stack.te
  = checked against: Megatron-Bridge 0.6.2, h100 x 16, te 2.14.0 (--hw, --gpus, --stack)

open: 3 checks skipped, unknown: stack.te (2), ${GBS} (1) and gpus (1); pass --stack te=VERSION
  --env GBS=VALUE --gpus N
ok: 1 file, 212 rules, 0 findings, 3 open
)";
  CHECK(full(b) == brief);

  b.report().strict = true;
  CHECK(full(b) == R"(
a.yaml: launch undecided, unknown: gpus and stack.te
  = checked against: Megatron-Bridge 0.6.2, h100 x 16, te 2.14.0 (--hw, --gpus, --stack)

open[shape/experts]: a.yaml: needs gpus and stack.te
open[dispatcher/knob]: a.yaml: needs stack.te
open[dispatcher/knob]: a.yaml: needs ${GBS}
open: 3 checks skipped, unknown: stack.te (2), ${GBS} (1) and gpus (1); pass --stack te=VERSION
  --env GBS=VALUE --gpus N
undecided: 1 file, 212 rules, 0 findings, 3 open
)");
}

TEST_CASE("full: a file that can't be parsed, and bytes that are no text") {
  support::ReportBuilder b;
  lint::Rule& rule = b.rule("yaml/syntax", "YML001");
  rule.builtin = true;
  b.file("a.yaml", "model: [1, 2\nb: \xff\x1b[2J\n");
  b.finding(rule, "the list that starts here is never closed", "[1");
  b.finding(rule, "no UTF-8: \xff", "\xff");
  b.recipe().readable = false;
  CHECK(full(b, {.unicode = false}) == R"(
a.yaml: not checked: it contains no readable recipe

── will not start

error[yaml/syntax]: the list that starts here is never closed
 --> a.yaml:1:8
  |
1 | model: [1, 2
  |        ^^
  |
  = see: epwise explain YML001

error[yaml/syntax]: no UTF-8: ?
 --> a.yaml:2:4
  |
2 | b: ??[2J
  |    ^
  |

2 errors in 1 file (212 rules)
)");
}

TEST_CASE("full: a finding without a position names the file and says why") {
  support::ReportBuilder b;
  const lint::Rule& rule = b.rule("shape/experts", "SHP001");
  b.file("a.yaml", kFullRecipe);
  lint::Finding& finding = b.finding(rule, "3 ranks do not divide 128 default experts");
  finding.primary.label = "default of Megatron-Bridge 0.6.2";
  finding.related = {{b.mark("flex"), "", "with this"}};
  CHECK(full(b, {.quiet = true}) == R"(
── will not start

error[shape/experts]: 3 ranks do not divide 128 default experts
 --> a.yaml (default of Megatron-Bridge 0.6.2)
 ::: a.yaml:3:30
  |
3 |   moe_token_dispatcher_type: flex
  |                              ---- with this
  |
  = evidence: proven
  = see: epwise explain SHP001

)");
}

TEST_CASE("full: nothing read, inputs that can't be read, rules that crash") {
  support::ReportBuilder nothing;
  nothing.report().unreadable = {"cannot read b.yaml: no such file"};
  CHECK(full(nothing) == R"(
error: cannot read b.yaml: no such file
nothing checked: 0 files read
)");

  support::ReportBuilder crashed;
  crashed.file("a.yaml", kFullRecipe).result.crashed_rules = {"shape/experts"};
  CHECK(full(crashed) == R"(
error: a.yaml: epwise failed in rule shape/experts; this is a bug, please report it with the recipe
incomplete: a.yaml starts, 212 rules, Megatron-Bridge 0.6.2, h100 x 16, te 2.14.0 (--hw, --gpus,
  --stack), 0 findings
)");
}

TEST_CASE("full: a version that was assumed says how to give it") {
  support::ReportBuilder b;
  b.file("a.yaml", kFullRecipe).result.version_assumed = true;
  CHECK(full(b, {.width = 200}) ==
        "\nok: a.yaml starts, 212 rules, Megatron-Bridge 0.6.2 (assumed; pass --stack "
        "bridge=VERSION), h100 x 16, te 2.14.0 (--hw, --gpus, --stack), 0 findings\n");
}

TEST_CASE("full: no line is wider than the terminal, whatever is said") {
  for (const support::SampleReport& sample : support::sample_reports()) {
    for (const int width : {60, 80, 120}) {
      CAPTURE(sample.name);
      CAPTURE(width);
      support::ReportBuilder b;
      sample.build(b);
      const std::string text =
          support::written("full", b.report(), {.width = width, .verbose = true});
      for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = text.find('\n', begin);
        CHECK(display_width(text.substr(begin, end - begin)) <= width);
        begin = end + 1;
      }
    }
  }
}

TEST_CASE("full: colours and links change nothing but themselves") {
  for (const support::SampleReport& sample : support::sample_reports()) {
    CAPTURE(sample.name);
    support::ReportBuilder b;
    sample.build(b);
    const std::string plain = support::written("full", b.report(), {});
    CHECK(plain.find('\x1b') == std::string::npos);
    std::string coloured =
        support::written("full", b.report(), {.colour = true, .hyperlinks = true});
    for (std::size_t at = coloured.find('\x1b'); at != std::string::npos;
         at = coloured.find('\x1b')) {
      const bool link = coloured[at + 1] == ']';
      const std::string_view stop = link ? "\x1b\\" : "m";
      coloured.erase(at, coloured.find(stop, at + 1) + stop.size() - at);
    }
    CHECK(coloured == plain);
  }
}

}  // namespace epwise::report
