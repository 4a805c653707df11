#include "advise/space.h"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "expr/layout_text.h"

namespace epwise::advise {

TEST_CASE("a generated layout has every layer once, and the last stage has the loss") {
  for (const int layers : {1, 24, 46, 60, 61, 94}) {
    for (const int depths : {0, 1}) {
      for (const int chunks : {2, 4, 8, 16, 32}) {
        for (const int loss : {0, 1, 2}) {
          const std::string text = layout_text(layers, depths, chunks, loss);
          if (layers < chunks - 1) {
            CHECK(text.empty());
            continue;
          }
          CAPTURE(text);
          const expr::Layout layout = expr::read_layout(text);
          REQUIRE(layout.problem.empty());
          REQUIRE(layout.stages.size() == static_cast<std::size_t>(chunks));
          int decoders = 0;
          int predictions = 0;
          for (const std::string& stage : layout.stages) {
            decoders += static_cast<int>(std::ranges::count(stage, 't'));
            predictions += static_cast<int>(std::ranges::count(stage, 'm'));
          }
          CHECK(decoders == layers);
          CHECK(predictions == depths);
          CHECK(layout.stages.front().front() == 'E');
          CHECK(layout.stages.back().back() == 'L');
        }
      }
    }
  }
}

TEST_CASE("61 layers and a prediction depth are spread as published layouts are") {
  CHECK(layout_text(61, 1, 16, 0) == "Et*3|(t*4|)*14t*2mL");
  CHECK(layout_text(61, 1, 32, 0) == "Et|(t*2|)*30mL");
  CHECK(layout_text(24, 0, 4, 0) == "Et*6|(t*6|)*2t*6L");
  CHECK(layout_text(24, 0, 4, 2) == "Et*6|(t*7|)*2t*4L");
}

}  // namespace epwise::advise
