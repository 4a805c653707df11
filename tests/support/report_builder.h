#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ui/findings/lint_report.h"

namespace epwise::support {

/// A lint report made by hand: files with their text, rules, and findings whose places are named by
/// the text that stands there. What `file` and `finding` return is good until the next call.
///
///   ReportBuilder b;
///   b.file("a.yaml", "model:\n  num_moe_experts: 60\n");
///   b.finding(b.rule("shape/experts", "SHP001"), "60 experts do not divide", "60");
///   write_concise(b.report(), {}) → "a.yaml:2:20: error[shape/experts] 60 experts do not divide\n"
class ReportBuilder {
 public:
  ReportBuilder() {
    report_.tool_version = "0.1.0";
    report_.knowledge = &knowledge_;
    knowledge_.rules.reserve(kMostRules);
  }

  ReportBuilder(const ReportBuilder&) = delete;
  ReportBuilder& operator=(const ReportBuilder&) = delete;

  /// A rule of the report's knowledge. Texts must outlive the builder: literals.
  lint::Rule& rule(std::string_view id,
                   std::string_view code,
                   lint::Severity severity = lint::Severity::error) {
    if (knowledge_.rules.size() == kMostRules) {
      throw std::logic_error("findings point at rules: raise kMostRules");
    }
    lint::Rule& rule = knowledge_.rules.emplace_back();
    rule.id = id;
    rule.code = code;
    rule.severity = severity;
    rule.what = "What is wrong";
    return rule;
  }

  /// A file that starts on Megatron-Bridge 0.6.2; what follows is about it.
  report::LintedFile& file(const std::string& path, std::string text) {
    auto recipe = std::make_shared<recipe::Recipe>();
    recipe->path = path;
    recipe->files.push_back(std::make_shared<text::SourceFile>(path, std::move(text)));
    recipe_ = recipe.get();
    report::LintedFile& file = report_.files.emplace_back();
    file.path = path;
    file.recipe = std::move(recipe);
    file.target = "h100 x 16, te 2.14.0 (--hw, --gpus, --stack)";
    file.result.recipe = recipe_;
    file.result.framework_version = "0.6.2";
    file.result.rules_checked = 212;
    return file;
  }

  /// A further source of the last file, such as the command line.
  text::SourceFile& source(const std::string& name, std::string text) {
    auto source = std::make_shared<text::SourceFile>(name, std::move(text));
    text::SourceFile& result = *source;
    recipe_->files.push_back(std::move(source));
    return result;
  }

  /// The first place of `words` in the last file's text (or in its `source`-th source).
  text::Mark mark(std::string_view words, std::size_t source = 0) const {
    const text::SourceFile& file = *recipe_->files.at(source);
    const std::size_t at = file.bytes().find(words);
    if (at == std::string_view::npos) {
      throw std::logic_error("no such text in the file: " + std::string(words));
    }
    return {&file, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + words.size())};
  }

  /// A finding of the last file; without `at` it has no position.
  lint::Finding& finding(const lint::Rule& rule, std::string message, std::string_view at = {}) {
    lint::Finding& finding = report_.files.back().result.findings.emplace_back();
    finding.rule = &rule;
    finding.severity = rule.severity;
    finding.message = std::move(message);
    if (!at.empty()) {
      finding.primary.mark = mark(at);
    }
    return finding;
  }

  void open(const lint::Rule& rule, std::vector<std::string> needs) {
    report_.files.back().result.open.push_back({.rule = &rule, .needs = std::move(needs)});
  }

  void rejects(const lint::Rule& rule, std::string stage) {
    lint::Launch& launch = report_.files.back().result.launch;
    launch.verdict = lint::Verdict::rejects;
    launch.rule = &rule;
    launch.stage = std::move(stage);
  }

  /// A field that the user wrote with `value` and the framework runs with `after`.
  void rewrite(const std::string& name,
               expr::Value before,
               expr::Value after,
               std::string why,
               std::string_view at = {}) {
    if (!at.empty()) {
      recipe::Field field;
      field.name = name;
      field.value = before;
      field.mark = mark(at);
      recipe_->fields[name] = std::move(field);
    }
    report_.files.back().result.effective.push_back({.slot = knowledge_.names.slot(name),
                                                     .field = name,
                                                     .before = std::move(before),
                                                     .after = std::move(after),
                                                     .why = std::move(why)});
  }

  recipe::Recipe& recipe() { return *recipe_; }

  report::LintReport& report() { return report_; }

 private:
  static constexpr std::size_t kMostRules = 64;

  lint::Knowledge knowledge_;
  recipe::Recipe* recipe_ = nullptr;
  report::LintReport report_;
};

}  // namespace epwise::support
