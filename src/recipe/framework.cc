#include "recipe/framework.h"

namespace epwise::recipe {

std::string_view to_string(Framework framework) {
  return framework == Framework::bridge ? "bridge" : "mlm";
}

std::string_view title(Framework framework) {
  return framework == Framework::bridge ? "Megatron-Bridge" : "Megatron-LM";
}

std::optional<Framework> parse_framework(std::string_view text) {
  for (const Framework framework : {Framework::bridge, Framework::mlm}) {
    if (text == to_string(framework)) {
      return framework;
    }
  }
  return std::nullopt;
}

}  // namespace epwise::recipe
