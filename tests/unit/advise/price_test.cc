#include "advise/price.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "perf/cost/compiled_table.h"
#include "support/analyzed_recipe.h"
#include "support/example_file.h"

namespace epwise::advise {

namespace {

constexpr std::string_view kOneQueue = "--hw h100 --gpus 16 --env CUDA_DEVICE_MAX_CONNECTIONS=1";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, from);
  return text.replace(at, from.size(), to);
}

/// A seed with a library's dispatcher and a number of SMs for it.
std::string with_sms(const std::string& backend, int sms) {
  return replaced(support::seed("q30-ep16-off"),
                  "moe_token_dispatcher_type: alltoall",
                  "moe_token_dispatcher_type: flex\n  moe_flex_dispatcher_backend: " + backend +
                      "\n  moe_flex_dispatcher_num_sms: " + std::to_string(sms));
}

/// The price that a rule tells of a recipe; value 0 and no rule where it is silent.
Price price_of(const std::string& text, std::string_view target, std::string_view rule) {
  const session::Analysis recipe = test::analysis_of(text, target);
  const cost::Table laws = cost::compiled_table();
  const World world{recipe, laws, sim::constants(), {}};
  const PriceList list = prices(world, knowledge());
  REQUIRE(list.problem == "");
  CHECK(std::ranges::is_sorted(
      list.prices, std::ranges::greater(), [](const Price& price) { return price.seconds.value; }));
  const auto found = std::ranges::find_if(
      list.prices, [&](const Price& price) { return price.finding.rule->id == rule; });
  return found == list.prices.end() ? Price{} : *found;
}

double step_of(const std::string& text, std::string_view target) {
  const session::Analysis recipe = test::analysis_of(text, target);
  const cost::Table laws = cost::compiled_table();
  const World world{recipe, laws, sim::constants(), {}};
  return Assessor(world, nullptr).predicted(Edits{}).assessment.step;
}

}  // namespace

TEST_CASE("few SMs for DeepEP or HybridEP cost what the flat region would save") {
  for (const char* backend : {"deepep", "hybridep"}) {
    CAPTURE(backend);
    const Price price =
        price_of(with_sms(backend, 4), "--hw h100 --gpus 16", "price/sms-off-flat-region");
    REQUIRE(price.finding.rule != nullptr);
    CHECK(price.finding.rule->code == "DSP083");
    CHECK(price.seconds.low > 0);
    CHECK(price.seconds.value > price.seconds.low);
    CHECK(price.seconds.high > price.seconds.value);
    const double step = step_of(with_sms(backend, 4), "--hw h100 --gpus 16");
    CHECK(price.seconds.value == doctest::Approx(price.share.value * step));
    CHECK(price.gpu_hours == doctest::Approx(price.share.value * 16 * 24));
    CHECK(price.finding.message.starts_with("4 SMs for "));
    REQUIRE(price.finding.fixes.size() == 1);
    CHECK(price.finding.fixes.front().edits.front().field == "model.moe_flex_dispatcher_num_sms");
  }
}

TEST_CASE("SM counts in the flat region cost nothing, others nothing that is surely more") {
  const auto is_silent = [](const char* backend, int sms) {
    return price_of(with_sms(backend, sms), "--hw h100 --gpus 16", "price/sms-off-flat-region")
               .finding.rule == nullptr;
  };
  CHECK(is_silent("deepep", 48));  // in it
  CHECK(is_silent("deepep", 20));  // off it, but who knows
  CHECK(is_silent("hybridep", 16));
}

TEST_CASE("one hardware queue costs what the overlap loses by it") {
  const Price price =
      price_of(support::seed("q30-ep16-overlap"), kOneQueue, "price/one-hardware-queue");
  REQUIRE(price.finding.rule != nullptr);
  CHECK(price.finding.rule->code == "ENV039");
  CHECK(price.seconds.low >= 0);
  const std::string several = "--hw h100 --gpus 16 --env CUDA_DEVICE_MAX_CONNECTIONS=32";
  const double one = step_of(support::seed("q30-ep16-overlap"), kOneQueue);
  CHECK(price.seconds.value ==
        doctest::Approx(one - step_of(support::seed("q30-ep16-overlap"), several)));
  REQUIRE(price.finding.fixes.size() == 1);
  CHECK(price.finding.fixes.front().edits.front().field == "CUDA_DEVICE_MAX_CONNECTIONS");
}

TEST_CASE(
    "one hardware queue costs nothing without overlap, nor where overlap brings nothing sure") {
  CHECK(
      price_of(support::seed("q30-ep16-off"), kOneQueue, "price/one-hardware-queue").finding.rule ==
      nullptr);
  CHECK(price_of(support::seed("q30-ep16-overlap"),
                 "--hw h100 --gpus 16 --env CUDA_DEVICE_MAX_CONNECTIONS=32",
                 "price/one-hardware-queue")
            .finding.rule == nullptr);
  CHECK(price_of(support::seed("q30-ep4-gbs64-overlap"), kOneQueue, "price/one-hardware-queue")
            .finding.rule == nullptr);
}

}  // namespace epwise::advise
