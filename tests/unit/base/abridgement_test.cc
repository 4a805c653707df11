#include "base/text/abridgement.h"

#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace epwise::text {

TEST_CASE("the only name that goes on") {
  const std::vector<std::string_view> names{"moe_token_dispatcher_type", "moe_topk", "num_layers"};
  CHECK(continued("moe_token", names) == "moe_token_dispatcher_type");
  CHECK(continued("moe_to", names).empty());
  CHECK(continued("layers", names).empty());
  CHECK(continued("env", {"env_vars", "env_vars"}) == "env_vars");
}

TEST_CASE("the only name with more parts") {
  const std::vector<std::string_view> names{"bf16_mixed",
                                            "bf16_with_mxfp8_mixed",
                                            "fp16_with_mxfp8_mixed",
                                            "bf16_with_fp8_a",
                                            "bf16_fp8_b"};
  CHECK(completed("bf16_mxfp8_mixed", names) == "bf16_with_mxfp8_mixed");
  CHECK(completed("bf16-mxfp8-mixed", names) == "bf16_with_mxfp8_mixed");
  CHECK(completed("mxfp8_mixed", names).empty());  // two have both
  CHECK(completed("mixed_bf16", names).empty());   // in another order
  CHECK(completed("mxfp8", names).empty());        // one part says too little
  CHECK(completed("bf16_mixed", {"bf16_mixed"}).empty());
}

}  // namespace epwise::text
