/// The readers of recipes on any bytes. The first byte chooses: a file of its own ('f'), words of a
/// Megatron-LM command line ('a'), or Hydra overrides over a small Megatron-Bridge file ('o');
/// words stand on lines. What must hold: every finding's place lies in the text that it points
/// into, every value is there once, and nothing takes long.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "recipe/load.h"
#include "support/fuzz_target.h"
#include "support/fuzzed_recipe.h"
#include "support/head_vocabulary.h"

namespace {

using epwise::recipe::Framework;
using epwise::recipe::Recipe;
using epwise::recipe::Request;
using epwise::support::head_vocabulary;
using epwise::support::require_sound;

std::shared_ptr<const epwise::text::SourceFile> file_of(std::string bytes) {
  return std::make_shared<epwise::text::SourceFile>("fuzz.yaml", std::move(bytes));
}

constexpr const char* kBase = R"(
model: {num_layers: 4, recompute_modules: [mlp], moe_router_topk: "${train.micro_batch_size}"}
train: {micro_batch_size: 1, global_batch_size: 8}
comm_overlap: null
env_vars: {NCCL_DEBUG: INFO}
)";

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace

FUZZ_TARGET(arguments) {
  constexpr std::size_t kMost = 1U << 13U;
  if (size == 0 || size > kMost) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  Request request;
  request.environment = {{"TP", "2"}, {"LIST", "[a b]"}, {"GONE", std::nullopt}};
  switch (data[0]) {
    case 'a':
      request.framework = Framework::mlm;
      request.words = lines_of(bytes);
      break;
    case 'o':
      request.file = file_of(kBase);
      request.words = lines_of(bytes);
      break;
    default:
      request.file = file_of(std::string(bytes));
      request.documents = data[0] == 'm' ? Request::Documents::merge : Request::Documents::each;
      break;
  }
  for (const Recipe& recipe : epwise::recipe::load(request, head_vocabulary)) {
    require_sound(recipe);
  }
  return 0;
}
