#include "support/sample_reports.h"

namespace epwise::support {
namespace {

const char* const kRecipe =
    "model:\n"
    "  num_moe_experts: 60\n"
    "  moe_token_dispatcher_type: flex\n"
    "  moe_flex_dispatcher_backend: deepep\n"
    "  moe_hybridep_num_sms: 16\n"
    "train:\n"
    "  global_batch_size: 1000\n";

lint::Rule& experts(ReportBuilder& b) {
  lint::Rule& rule = b.rule("shape/experts", "SHP001");
  rule.what = "Experts cannot be spread evenly over the expert ranks";
  rule.why =
      "Every rank holds the same number of experts. Upstream raises while it builds the model.";
  rule.places = {{.framework = "bridge", .stage = "transformer-config", .order = 12}};
  rule.versions = {{"bridge", "", ""}, {"mlm", "0.16.1", ""}};
  rule.given_text = "d.is_moe";
  rule.assert_text = "model.num_moe_experts % model.expert_model_parallel_size == 0";
  rule.prose.edit().fixes = {{"Take a multiple", lint::Tier::training, {}, {}}};
  rule.prose.edit().references = {
      {"NVIDIA/Megatron-LM", "megatron/core/transformer/transformer_config.py", "3013", "d98e8a64"},
      {"", "https://example.org/issue/7", "", ""},
      {"NVIDIA/Megatron-LM", "megatron/arguments.py", "", ""}};
  return rule;
}

lint::Rule& crossed(ReportBuilder& b) {
  lint::Rule& rule = b.rule("dispatcher/crossed-sm-knob", "DSP020", lint::Severity::warning);
  rule.what = "HybridEP's SM count is applied to DeepEP";
  rule.confidence = lint::Confidence::likely;
  return rule;
}

lint::Rule& advice(ReportBuilder& b) {
  lint::Rule& rule = b.rule("batch/small", "BAT007", lint::Severity::note);
  rule.confidence = lint::Confidence::heuristic;
  rule.what = "A small batch";
  return rule;
}

void nothing_read(ReportBuilder& b) {
  b.report().unreadable = {"cannot read missing.yaml: no such file or directory"};
  b.report().exit_code = 3;
}

void clean(ReportBuilder& b) {
  experts(b);
  b.file("a.yaml", kRecipe);
}

void one(ReportBuilder& b) {
  const lint::Rule& rule = experts(b);
  b.file("recipes/a.yaml", kRecipe);
  lint::Finding& finding = b.finding(rule, "60 experts do not divide over 8 expert ranks", "60");
  finding.primary.pointer = "/model/num_moe_experts";
  finding.evidence = {
      {.name = "model.num_moe_experts", .value = "60", .origin = "recipes/a.yaml:2"},
      {.name = "model.expert_model_parallel_size", .value = "8", .origin = "default"},
      {.name = "gpus", .value = "16", .origin = "--gpus"}};
  finding.fixes = {{"Take a multiple of 8",
                    lint::Tier::training,
                    {{"model.num_moe_experts", "64", b.mark("60")}}},
                   {"", lint::Tier::performance, {{"model.expert_model_parallel_size", "4", {}}}},
                   {"Ask the authors", lint::Tier::neutral, {}}};
  finding.fixes.front().patches = {{b.mark("60"), "64"}};
  b.rejects(rule, "transformer-config");
  b.report().exit_code = 1;
}

void many(ReportBuilder& b) {
  const lint::Rule& hard = experts(b);
  const lint::Rule& soft = crossed(b);
  const lint::Rule& hint = advice(b);
  b.file("a.yaml", kRecipe);
  lint::Finding& first = b.finding(hard, "60 experts do not divide over 8 expert ranks", "60");
  first.primary.label = "not a multiple of 8";
  first.assumed = {"te counts as installed", "CUDA_DEVICE_MAX_CONNECTIONS counts as unset"};
  lint::Finding& second = b.finding(soft, "16 SMs will be used by DeepEP", "16");
  second.primary.pointer = "/model/moe_hybridep_num_sms";
  second.related = {{.mark = b.mark("deepep"),
                     .pointer = "/model/moe_flex_dispatcher_backend",
                     .label = "the backend that takes it"},
                    {.mark = {}, .pointer = "", .label = "default of Megatron-Bridge 0.6.2"}};
  second.fixes = {
      {"Drop it", lint::Tier::neutral, {{"model.moe_hybridep_num_sms", "", b.mark("16")}}}};
  b.finding(hint, "1000 samples are few", "1000");
  b.rejects(hard, "transformer-config");
  b.rewrite("model.moe_token_dispatcher_type",
            expr::Value::of("flex"),
            expr::Value::of("alltoall"),
            "the flex backend is not available on this GPU",
            "flex");
  b.rewrite("model.moe_router_dtype", {}, expr::Value::of("fp32"), "grouped GEMM wants it");
  b.file("b.yaml", kRecipe);
  b.finding(hard, "60 experts do not divide over 16 expert ranks", "60");
  b.rejects(hard, "transformer-config");
  b.report().exit_code = 1;
}

void beyond_ascii(ReportBuilder& b) {
  const lint::Rule& rule = b.rule("recipe/unknown-key", "REC002");
  b.file("größe/模型 1.yaml", "# 模型\nmodel: {größe: \"模型\", número: 8}\n");
  b.finding(rule, "`número` is no field of model, did you mean `num_layers`?", "número");
}

void no_position(ReportBuilder& b) {
  const lint::Rule& rule = experts(b);
  b.file("a.yaml", kRecipe);
  lint::Finding& finding = b.finding(rule, "128 default experts do not divide over 3 ranks");
  finding.primary.label = "default of Megatron-Bridge 0.6.2";
}

void open(ReportBuilder& b) {
  const lint::Rule& rule = experts(b);
  const lint::Rule& soft = crossed(b);
  b.file("a.yaml", kRecipe);
  b.open(rule, {"gpus", "stack.te"});
  b.open(soft, {"${SMS}"});
  lint::Launch& launch = b.report().files.back().result.launch;
  launch.verdict = lint::Verdict::undecided;
  launch.needs = {"gpus", "stack.te"};
}

void parse_failure(ReportBuilder& b) {
  lint::Rule& rule = b.rule("yaml/syntax", "YML001");
  rule.builtin = true;
  b.file("a.yaml", "model: [1, 2\nb: \xff\n");
  b.finding(rule, "the list that starts here is never closed", "[");
  lint::Finding& bytes = b.finding(rule, "no UTF-8: \xff", "\xff");
  bytes.primary.pointer = "/b";
  b.recipe().readable = false;
  b.report().files.back().result.framework_version.clear();
  b.report().exit_code = 1;
}

void overrides(ReportBuilder& b) {
  const lint::Rule& rule = experts(b);
  b.file("a.yaml#2", kRecipe);
  b.recipe().files.clear();
  b.source("a.yaml", kRecipe);
  b.source("<command line>", "model.num_moe_experts=60");
  lint::Finding& finding = b.finding(rule, "60 experts do not divide over 8 expert ranks");
  finding.primary.mark = b.mark("60", 1);
  finding.related = {{.mark = b.mark("flex"), .pointer = "", .label = "in this model"}};
}

void crashed(ReportBuilder& b) {
  b.file("a.yaml", kRecipe);
  b.report().files.back().result.crashed_rules = {"shape/experts"};
  b.report().exit_code = 70;
}

}  // namespace

const std::vector<SampleReport>& sample_reports() {
  static const std::vector<SampleReport> samples{
      {"nothing-read", nothing_read},
      {"clean", clean},
      {"one", one},
      {"many", many},
      {"beyond-ascii", beyond_ascii},
      {"no-position", no_position},
      {"open", open},
      {"parse-failure", parse_failure},
      {"overrides", overrides},
      {"crashed", crashed},
  };
  return samples;
}

}  // namespace epwise::support
