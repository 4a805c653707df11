#include "ui/version.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "lint/knowledge.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::cli {

std::string version_text() {
  std::string text = fmt::format("epwise {}\n{} rules\n", tool_version(), lint::count_rules());
  for (const recipe::Framework framework : {recipe::Framework::bridge, recipe::Framework::mlm}) {
    text += fmt::format("{} {}\n",
                        recipe::title(framework),
                        fmt::join(recipe::Vocabulary::versions(framework), " "));
  }
  return text;
}

}  // namespace epwise::cli
