#include "commands/explore/page.h"

#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/embedded/embedded.h"

namespace epwise::explore {

namespace {

std::string_view part(std::string_view name) {
  for (const embedded::EmbeddedFile& file : embedded::explore_page()) {
    if (file.path == name) {
      return file.bytes;
    }
  }
  return {};
}

void put(std::string& text, std::string_view mark, std::string_view content) {
  const std::size_t at = text.find(mark);
  if (at != std::string::npos) {
    text.replace(at, mark.size(), content);
  }
}

}  // namespace

Answer page() {
  const std::string nonce = make_token();
  Answer answer;
  answer.type = "text/html";
  answer.body = part("explore.html");
  put(answer.body, "NONCE", nonce);
  put(answer.body, "NONCE", nonce);
  put(answer.body, "/* explore.css */", part("explore.css"));
  put(answer.body, "/* explore.js */", part("explore.js"));
  answer.policy = fmt::format(
      "default-src 'none'; style-src 'nonce-{0}'; script-src 'nonce-{0}'; connect-src 'self'; "
      "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      nonce);
  return answer;
}

std::string make_token() {
  constexpr int kWords = 4;  // of 32 bits
  std::random_device random;
  std::string token;
  for (int i = 0; i < kWords; ++i) {
    token += fmt::format("{:08x}", static_cast<std::uint32_t>(random()));
  }
  return token;
}

}  // namespace epwise::explore
