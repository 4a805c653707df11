/// Any bytes as a receipt, as they are and, so that they get past it, under a seal of their own.
/// What must hold: never a crash, a reason for every refusal, and success only for a receipt of
/// this program that speaks of a file which is as it was, and of a gate that passed.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text/sha256.h"
#include "commands/gate/receipt.h"
#include "support/fuzz_target.h"
#include "support/memory_files.h"
#include "support/require.h"
#include "ui/version.h"

namespace {

using epwise::support::require;

constexpr std::string_view kRecipe = "model: {num_layers: 4}\n";

void check(const std::string& receipt) {
  const epwise::support::MemoryFiles files({{"r.json", receipt}, {"a.yaml", std::string(kRecipe)}});
  const auto result = epwise::cli::verify_receipt(files, "r.json", "2026-11-22");
  require((result.code == epwise::cli::ExitCode::clean) == result.sentences.empty());
  if (result.code == epwise::cli::ExitCode::clean) {
    require(receipt.find(epwise::text::sha256(kRecipe)) != std::string::npos);
    require(receipt.find(epwise::session::tool_version()) != std::string::npos);
  }
}

}  // namespace

FUZZ_TARGET(receipt) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  check(bytes);
  check(bytes + ",\n\"seal\":\"" + epwise::text::sha256(bytes) + "\"}\n");
  return 0;
}
