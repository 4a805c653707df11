#include "lint/message.h"

namespace epwise::lint {

std::string fill(const std::vector<MessagePart>& parts, const expr::Environment& facts) {
  std::string sentence;
  for (const auto& part : parts) {
    sentence += part.expression.empty() ? std::string(part.text)
                                        : expr::evaluate(part.expression, facts).to_text();
  }
  return sentence;
}

}  // namespace epwise::lint
