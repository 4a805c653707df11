#include "cli/lint/pricing.h"

#include <algorithm>
#include <utility>

#include "advise/price.h"
#include "cost/compiled_table.h"
#include "lint/priced.h"
#include "report/lint/price_text.h"

namespace epwise::cli {

Option price_option() {
  return {.name = "--price",
          .summary = "add notes on what legal settings cost a step, as `epwise advise` predicts it",
          .variable = "EPWISE_PRICE",
          .brief = true};
}

Pricing::Pricing(Session& session, const Arguments& arguments)
    : simulator_(session, arguments),
      laws_(cost::compiled_table()) {}

std::string Pricing::add(const repair::Bench& bench,
                         const std::vector<Setting>& inputs,
                         lint::Result& result) const {
  if (bench.target.hw == nullptr || !bench.target.gpus) {
    return bench.target.hw == nullptr ? "--hw is not known" : "--gpus is not known";
  }
  const auto is_error = [](const lint::Finding& finding) {
    return finding.severity == lint::Severity::error;
  };
  if (std::ranges::any_of(result.findings, is_error)) {
    return "its errors come first";
  }
  const sim::ConstantTable constants = simulator_.constants(bench.target.hw->name);
  std::vector<std::string> stated;
  for (const Setting& input : inputs) {
    stated.push_back(input.value);
  }
  const advise::World world{.bench = bench,
                            .laws = laws_,
                            .constants = constants,
                            .inputs = std::move(stated),
                            .measured = simulator_.measured(bench.target.hw->name)};
  advise::PriceList list = advise::prices(world, advise::knowledge());
  result.rules_checked +=
      static_cast<int>(std::ranges::count_if(bench.knowledge.rules, [&](const lint::Rule& rule) {
        return lint::is_priced(rule) && bench.selection.takes(rule);
      }));
  for (advise::Price& price : list.prices) {
    lint::Finding& finding = price.finding;
    if (!bench.selection.takes(*finding.rule)) {
      continue;
    }
    finding.message = report::price_text(price);
    finding.evidence = report::price_evidence(price);
    result.findings.push_back(std::move(finding));
  }
  return list.problem;
}

}  // namespace epwise::cli
