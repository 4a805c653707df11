#include "lint/message.h"

namespace epwise::lint {

std::string fill(const std::vector<MessagePart>& parts, const expr::Environment& facts) {
  std::string sentence;
  for (const auto& part : parts) {
    if (part.expression.empty()) {
      sentence += part.text;
      continue;
    }
    const auto value = expr::evaluate(part.expression, facts);
    if (value.is_crash()) {
      return {};
    }
    sentence += value.to_text();
  }
  return sentence;
}

}  // namespace epwise::lint
