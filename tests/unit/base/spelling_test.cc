#include "base/text/spelling.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace epwise::text {

namespace {

const std::vector<std::string_view> kNames = {"moe_router_topk",
                                              "num_moe_experts",
                                              "num_layers",
                                              "tensor_model_parallel_size",
                                              "expert_model_parallel_size",
                                              "expert_tensor_parallel_size",
                                              "tp"};

}  // namespace

TEST_CASE("edit distance counts inserts, deletions, substitutions and swaps") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "abc") == 0);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("ab", "ba") == 1);
  CHECK(edit_distance("layers", "layesr") == 1);
  CHECK(edit_distance("abcd", "badc") == 2);
  CHECK(edit_distance("flaw", "lawn") == edit_distance("lawn", "flaw"));
}

TEST_CASE("the nearest names come first") {
  using Names = std::vector<std::string>;
  CHECK(nearest("moe_router_topK", kNames) == Names{"moe_router_topk"});
  CHECK(nearest("--num-layers", kNames) == Names{"num_layers"});
  CHECK(nearest("num_experts", kNames) == Names{"num_moe_experts"});
  CHECK(nearest("num_layer", kNames) == Names{"num_layers"});
  CHECK(nearest("expert_parallel_size", kNames, 1) == Names{"expert_model_parallel_size"});
  CHECK(nearest("completely_different", kNames).empty());
  CHECK(nearest("pp", kNames).empty());  // half the letters differ
  CHECK(nearest("", kNames).empty());
  CHECK(nearest("num_layer", {}).empty());
}

TEST_CASE("equally near names come in a stable order, each once") {
  const std::vector<std::string_view> names = {"beta_two", "beta_one", "beta_one", "zeta_one"};
  const auto found = nearest("beta_onw", names);
  CHECK(found == std::vector<std::string>{"beta_one", "zeta_one"});
  const auto tied = nearest("xxabc", {"xxabe", "xxabd", "yxabc"});
  CHECK(tied == std::vector<std::string>{"xxabd", "xxabe", "yxabc"});
}

TEST_CASE("a question stands ready behind a sentence") {
  CHECK(did_you_mean("num_layer", kNames) == ", did you mean `num_layers`?");
  CHECK(did_you_mean("xxabc", {"xxabd", "xxabe", "xxabf"}) == ", did you mean `xxabd` or `xxabe`?");
  CHECK(did_you_mean("completely_different", kNames).empty());
}

TEST_CASE("a name of a megabyte is compared with short ones at once") {
  CHECK(nearest(std::string(std::size_t{1} << 20, 'a'), kNames).empty());
}

}  // namespace epwise::text
