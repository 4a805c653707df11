#include "base/text/spelling.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
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

namespace {

/// By the definition, with the whole table.
int plain_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<int>> table(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      int& least = table[i][j];
      least = static_cast<int>(i + j);
      if (i > 0 && j > 0) {
        least = std::min({table[i - 1][j] + 1,
                          table[i][j - 1] + 1,
                          table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      }
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        least = std::min(least, table[i - 2][j - 2] + 1);
      }
    }
  }
  return table[a.size()][b.size()];
}

}  // namespace

TEST_CASE("edit distances of random words, also longer than a machine word") {
  std::mt19937 random(20261129);
  const auto word = [&random](std::size_t longest) {
    std::string text(random() % (longest + 1), ' ');
    for (char& letter : text) {
      letter = static_cast<char>('a' + random() % 3);
    }
    return text;
  };
  for (const std::size_t longest : {5U, 12U, 63U, 64U, 65U, 90U}) {
    for (int i = 0; i < 300; ++i) {
      const std::string a = word(longest);
      std::string b = word(longest);
      if (i % 2 == 0 && !a.empty()) {  // a few edits away
        b = a;
        for (std::size_t edits = random() % 4; edits > 0 && b.size() > 1; --edits) {
          const std::size_t at = random() % (b.size() - 1);
          std::swap(b[at], b[at + 1]);
          b.insert(random() % b.size(), random() % 2, 'c');
        }
      }
      CAPTURE(a);
      CAPTURE(b);
      const int distance = plain_distance(a, b);
      CHECK(edit_distance(a, b) == distance);
      const bool is_near = distance <= static_cast<int>(std::max(a.size(), b.size()) / 3);
      CHECK(nearest(a, {b}).empty() != is_near);
    }
  }
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
