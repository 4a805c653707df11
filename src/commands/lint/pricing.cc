#include "commands/lint/pricing.h"

#include <algorithm>
#include <utility>

#include "advise/price.h"
#include "commands/lint/price_text.h"
#include "lint/rule.h"
#include "perf/cost/compiled_table.h"

namespace epwise::cli {

Option price_option() {
  return {.name = "--price",
          .summary = "add notes on the predicted cost per step of valid settings",
          .variable = "EPWISE_PRICE",
          .brief = true};
}

Pricing::Pricing(Console& console, const Arguments& arguments, Workspace& workspace)
    : simulator_(console, arguments, workspace),
      laws_(cost::compiled_table()) {}

std::string Pricing::add(Analysis& analysis) const {
  const facts::Target& target = *analysis.target;
  if (target.hw == nullptr || !target.gpus) {
    return target.hw == nullptr ? "--hw is unknown" : "--gpus is unknown";
  }
  if (count_errors(analysis.result) > 0) {
    return "fix its errors first";
  }
  const sim::ConstantTable constants = simulator_.constants(target.hw->name);
  std::vector<std::string> stated;
  for (const Setting& input : analysis.document->inputs) {
    stated.push_back(input.value);
  }
  const advise::World world{.base = analysis,
                            .laws = laws_,
                            .constants = constants,
                            .inputs = std::move(stated),
                            .measured = simulator_.measured(target.hw->name),
                            .level = simulator_.level(analysis)};
  advise::PriceList list = advise::prices(world, advise::knowledge());
  lint::Result& result = analysis.result;
  const auto is_selected = [&](const lint::Rule& rule) { return analysis.selection().takes(rule); };
  result.rules_checked += static_cast<int>(std::ranges::count_if(
      analysis.knowledge().rules,
      [&](const lint::Rule& rule) { return lint::is_priced(rule) && is_selected(rule); }));
  for (advise::Price& price : list.prices) {
    lint::Finding& finding = price.finding;
    if (!is_selected(*finding.rule)) {
      continue;
    }
    finding.message = report::price_text(price);
    finding.evidence = report::price_evidence(price);
    result.findings.push_back(std::move(finding));
  }
  return list.problem;
}

}  // namespace epwise::cli
