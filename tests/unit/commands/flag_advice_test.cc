#include "commands/explain/flag_advice.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace epwise::audit {
namespace {

TEST_CASE("complaints about arguments come with what was meant") {
  struct Row {
    const char* message;
    const char* advice;  // holds; "" none
  };

  const auto vocabulary = recipe::Vocabulary::load(recipe::Framework::mlm, "0.16.1");
  for (const auto& row : std::vector<Row>{
           {"unrecognized arguments: --num-expert 8", "did you mean `--num-experts`?"},
           {"unrecognized arguments: true --num-expert=8", "did you mean `--num-experts`?"},
           {"unrecognized arguments: --async-strategy mcore", "since"},
           {"unrecognized arguments: --num-layers 3", "knows `--num-layers`"},
           {"unrecognized arguments: --zzzzzzzzzzzz", "no flag with a similar name"},
           {"unrecognized arguments: true", ""},
           {"ambiguous option: --x could match --xa, --xb", "one of --xa, --xb in full"},
           {"argument --recompute-granularity: invalid choice: 'ful' (choose from 'full', "
            "'selective')",
            "did you mean `full`?"},
           {"argument --num-layers: invalid int value: 'x'", ""},
           {"of another kind", ""},
           {"argument --x: invalid choice: 'a", ""},
       }) {
    CAPTURE(row.message);
    Crash crash;
    crash.message = row.message;
    const auto said = flag_advice(crash, vocabulary);
    CHECK(said.empty() == (std::string(row.advice).empty()));
    if (!said.empty()) {
      CAPTURE(said.front());
      CHECK(said.front().find(row.advice) != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace epwise::audit
