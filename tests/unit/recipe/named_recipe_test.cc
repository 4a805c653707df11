#include "recipe/named/named_recipe.h"

#include <deque>
#include <string>

#include <doctest/doctest.h>

#include "recipe/named/table_yaml.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {
namespace {

/// The problems point into the last element of `files`.
std::string compiled_table(std::deque<text::SourceFile>& files,
                           const std::string& yaml,
                           std::vector<text::Diagnostic>& problems) {
  files = {};
  files.emplace_back("1.0.0.yaml", yaml);
  return compile_recipes(files, problems);
}

TEST_CASE("a table of recipes shares lines between the entries of a section") {
  std::deque<text::SourceFile> files;
  std::vector<text::Diagnostic> problems;
  const std::string bytes = compiled_table(files,
                                           "release: 1.0.0\n"
                                           "sections:\n"
                                           "  model:\n"
                                           "  - _target_: a.B\n"
                                           "    num_layers: 48\n"
                                           "    modules: [a, 'b c']\n"
                                           "  - _like: 0\n"
                                           "    _without: [modules]\n"
                                           "    num_layers: 96\n"
                                           "    transformer.hidden_size: 64\n"
                                           "  mixed_precision:\n"
                                           "  - bf16_mixed\n"
                                           "recipes:\n"
                                           "  small: {gpus: 16, model: 0, mixed_precision: 0}\n"
                                           "  large: {model: 1}\n",
                                           problems);
  REQUIRE(problems.empty());
  const RecipeBook book(bytes);
  CHECK(book.names("1.0.0") == std::vector<std::string_view>{"large", "small"});
  CHECK(book.names("2.0.0").empty());
  CHECK(book.find("1.0.0", "small")->gpus == 16);
  CHECK(book.find("1.0.0", "tiny") == nullptr);
  CHECK(book.text(*book.find("1.0.0", "small")) ==
        "_target_: megatron.bridge.training.config.ConfigContainer\n"
        "model:\n  _target_: a.B\n  modules: [a, 'b c']\n  num_layers: 48\n"
        "mixed_precision: bf16_mixed\n");
  CHECK(book.text(*book.find("1.0.0", "large")) ==
        "_target_: megatron.bridge.training.config.ConfigContainer\n"
        "model:\n  _target_: a.B\n  num_layers: 96\n  transformer:\n    hidden_size: 64\n");
  CHECK(book.file("1.0.0", "large")->name() == "large@1.0.0");
}

TEST_CASE("mistakes in a table of recipes are reported where they are") {
  std::deque<text::SourceFile> files;
  std::vector<text::Diagnostic> problems;
  compiled_table(files,
                 "release: 1.0.0\nsections:\n  model:\n  - {_like: 3}\nrecipes:\n  a: {model: 7}\n",
                 problems);
  REQUIRE(problems.size() == 2);
  CHECK(problems[0].mark.start().line == 4);
  CHECK(problems[0].message == "`_like: 3` does not name an earlier entry of this section");
  CHECK(problems[1].message == "there is no such entry of section `model`");
  problems.clear();
  compiled_table(files, "release: 1.0.0\n", problems);
  CHECK(problems.size() == 1);
}

TEST_CASE("names of recipes can say the release") {
  CHECK(parse_recipe_name("a_config").name == "a_config");
  CHECK(parse_recipe_name("a_config@0.5.0").name == "a_config");
  CHECK(parse_recipe_name("a_config@0.5.0").release == "0.5.0");
  CHECK(parse_recipe_name("megatron.bridge.recipes.llama.a_config").name == "a_config");
  CHECK(parse_recipe_name("conf/a_config").name == "a_config");
  CHECK(is_recipe_file("llama3_8b_pretrain_config@0.6.2"));
  CHECK_FALSE(is_recipe_file("llama3_8b_pretrain_config"));
  CHECK_FALSE(is_recipe_file("conf/llama3_8b_pretrain_config@0.6.2"));
}

TEST_CASE("names of performance recipes say what the harness selects") {
  const auto flat = selection_of("qwen3_30b_a3b_pretrain_16gpu_h100_fp8mx_large_scale_config");
  REQUIRE(flat);
  CHECK(flat->model == "qwen3_30b_a3b");
  CHECK(flat->gpu == "h100");
  CHECK(flat->precision == "fp8_mx");
  CHECK(flat->variant == "large_scale");
  CHECK(flat->gpus == 16);
  const auto workload = selection_of("llama3_8b_pretrain_config_gb200_fp8_cs_v2");
  REQUIRE(workload);
  CHECK(workload->precision == "fp8_cs");
  CHECK(workload->variant == "v2");
  CHECK_FALSE(workload->gpus);
  CHECK_FALSE(selection_of("llama3_8b_pretrain_config"));
  CHECK_FALSE(selection_of("pretrain_config"));
}

TEST_CASE("the harness of each release finds its recipe") {
  const RecipeBook& book = RecipeBook::embedded();
  const HarnessSelection selection{"qwen3_30b_a3b", "pretrain", "h100", "bf16", "", 16};
  CHECK(harness_recipe(book, "0.6.2", selection)->name ==
        "qwen3_30b_a3b_pretrain_16gpu_h100_bf16_config");
  CHECK(harness_recipe(book, "0.5.0", selection)->name ==
        "qwen3_30b_a3b_pretrain_config_h100_bf16_v1");
  HarnessSelection other = selection;
  other.gpus = 128;  // none for this number: the default for the hardware
  CHECK(harness_recipe(book, "0.6.2", other)->gpus == 16);
  other.model = "qwen9";
  CHECK(harness_recipe(book, "0.6.2", other) == nullptr);
  CHECK(counterpart(book, "0.5.0", "qwen3_30b_a3b_pretrain_16gpu_h100_bf16_config")->name ==
        "qwen3_30b_a3b_pretrain_config_h100_bf16_v1");
}

TEST_CASE("every release of the vocabulary has recipes, and each is a whole configuration") {
  const RecipeBook& book = RecipeBook::embedded();
  for (const std::string_view release : Vocabulary::versions(Framework::bridge)) {
    const auto names = book.names(release);
    CHECK(names.size() > 300);
    for (const std::string_view name : names) {
      const std::string text = book.text(*book.find(release, name));
      CAPTURE(name);
      CHECK(text.find("\nmodel:\n") != std::string::npos);
      CHECK(text.find("\ntrain:\n") != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace epwise::recipe
