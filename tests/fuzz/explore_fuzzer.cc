/// The page of `epwise explore` on any bytes, without sockets. The first byte chooses: a connection
/// as it comes from a socket ('h'), a request made of known keys and values, which the bytes behind
/// it choose (1), or a request by its path and a body on the lines after it. What
/// must hold: every request is answered, an answer is JSON or HTML, and whoever lacks the token gets
/// nothing but a refusal.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

#include "commands/explore/answers.h"
#include "commands/explore/http.h"
#include "support/app_run.h"
#include "support/choices.h"
#include "support/fuzz_target.h"
#include "support/memory_files.h"
#include "support/require.h"
#include "ui/console.h"

namespace {

using epwise::explore::Answer;
using epwise::explore::Arrival;
using epwise::explore::Explorer;
using epwise::support::require;

constexpr const char* kToken = "0123456789abcdef";

/// A page without configuration and disk.
Explorer& explorer() {
  static epwise::support::MemoryFiles files;
  static const epwise::support::MemoryVariables variables(
      std::map<std::string, std::string>{{"EPWISE_TODAY", "2026-11-26"}});
  static const epwise::support::GivenDevices devices;
  static std::istringstream in;
  static std::ostringstream out;
  static epwise::cli::Console console{in, out, out, files, variables, {}, devices};
  static const epwise::session::Arguments arguments;
  static Explorer made(console, arguments, {"recipe.yaml", "model: {}\n"}, kToken);
  return made;
}

void check(const epwise::explore::Request& request) {
  // A search takes seconds; what it does is fuzzed by itself.
  if (request.path == "/api/search") {
    return;
  }
  const Answer answer = explorer().answer(request);
  require(answer.status != 500);
  if (answer.type == "text/html") {
    require(answer.body.starts_with("<!doctype html>"));
  } else {
    const auto json = epwise::explore::Json::parse(answer.body, nullptr, false);
    require(json.is_object());
    require(answer.status == 200 || json.contains("problem"));
  }
  epwise::explore::Request stranger = request;
  stranger.token = "0123456789abcdeg";
  require(explorer().answer(stranger).status == 403);
}

void check_connection(std::string_view bytes) {
  constexpr int kMost = 4;  // requests; each may lint anew
  for (int i = 0; i < kMost; ++i) {
    const Arrival arrival = epwise::explore::read_request(bytes);
    if (arrival.kind != Arrival::Kind::request) {
      require(arrival.kind == Arrival::Kind::incomplete || arrival.status >= 400);
      return;
    }
    require(arrival.size > 0 && arrival.size <= bytes.size());
    require(arrival.request.body.size() <= epwise::explore::kLargestBody);
    epwise::explore::Request request = arrival.request;
    request.host = "localhost:8000";
    request.origin = "";
    request.token = kToken;
    check(request);
    bytes.remove_prefix(arrival.size);
  }
}

/// A call with the right keys, and some others, of the right kinds, and some of others.
epwise::explore::Request made_request(epwise::support::Choices& choices) {
  constexpr std::array<std::string_view, 11> kCalls = {"look",
                                                       "set",
                                                       "moves",
                                                       "offer",
                                                       "fix",
                                                       "plan",
                                                       "report",
                                                       "start",
                                                       "progress",
                                                       "cancel",
                                                       "none"};
  constexpr std::array<std::string_view, 10> kKeys = {
      "hw", "gpus", "axis", "move", "finding", "plan", "what", "kind", "text", "x"};
  constexpr std::array<std::string_view, 16> kWords = {"h100",
                                                       "gb200",
                                                       "tensor",
                                                       "expert",
                                                       "pipeline",
                                                       "context",
                                                       "recompute",
                                                       "4",
                                                       "8",
                                                       "plans",
                                                       "simulate",
                                                       "advise",
                                                       "",
                                                       "alltoall",
                                                       "-1",
                                                       "\n::x"};
  constexpr std::array<std::int64_t, 8> kCounts = {
      0, 1, 8, 16, -1, 1 << 24, 2147483648, 9007199254740993};
  epwise::explore::Json body = {{"text", epwise::support::recipe_text(choices)}};
  const std::string call = std::string("/api/") + std::string(choices.of(kCalls));
  for (std::size_t keys = choices.below(7); keys > 0; --keys) {
    const std::string key(choices.of(kKeys));
    switch (choices.below(6)) {
      case 0:
        body[key] = nullptr;
        break;
      case 1:
        body[key] = choices.below(2) == 0;
        break;
      case 2:
        body[key] = {{"a", 1}};
        break;
      case 3:
        body[key] = choices.of(kCounts);
        break;
      default:
        body[key] = choices.of(kWords);
        break;
    }
  }
  return {"POST", call, kToken, "127.0.0.1:8000", "", "application/json", body.dump()};
}

}  // namespace

FUZZ_TARGET(explore) {
  if (size == 0) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (epwise::support::is_structured(data, size)) {
    epwise::support::Choices choices(data + 1, bytes.size());
    check(made_request(choices));
    return 0;
  }
  if (data[0] == 'h') {
    check_connection(bytes);
    return 0;
  }
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  const std::string_view body = bytes.substr(std::min(end + 1, bytes.size()));
  check({"POST",
         "/api/" + std::string(bytes.substr(0, end)),
         kToken,
         "127.0.0.1:8000",
         "",
         "application/json",
         std::string(body)});
  return 0;
}
