#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// HTTP/1.1 as far as one page on one machine needs it: GET and POST with a Content-Length.

namespace epwise::explore {

/// Limits on the size of a request. A recipe of 4 MiB is a hundred times a usual one; in JSON, each
/// of its bytes may take two, and the rest of a request little.
constexpr std::size_t kLargestHead = std::size_t{16} << 10;
constexpr std::size_t kLargestRecipe = std::size_t{4} << 20;
constexpr std::size_t kLargestBody = 2 * kLargestRecipe + (std::size_t{64} << 10);

struct Request {
  std::string method;  // "GET"
  std::string path;    // "/api/look", without the query
  std::string token;   // of the header X-Epwise-Token, otherwise of the query
  std::string host;    // "127.0.0.1:8000"
  std::string origin;  // "http://127.0.0.1:8000"; empty: none
  std::string type;    // of the body: "application/json"
  std::string body;
  bool keep = true;  // the connection stays open after the answer
};

struct Answer {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::string policy = {};  // Content-Security-Policy; empty: nothing may be loaded
};

/// What arrived on a connection so far.
struct Arrival {
  enum class Kind : std::uint8_t {
    incomplete,
    request,
    wrong,  // not a request that this server understands; `status` says why
  };

  Kind kind = Kind::incomplete;
  Request request = {};
  std::size_t size = 0;  // bytes of the request
  int status = 400;
};

/// The first request of `bytes`. Never throws for what they hold.
///   "GET /?token=ab HTTP/1.1\r\nHost: localhost:80\r\n\r\n" → a request for "/" with the token "ab"
Arrival read_request(std::string_view bytes);

/// An answer as it is sent. `milliseconds`: how long it took, for the header Server-Timing.
std::string bytes_of(const Answer& answer, bool keep, double milliseconds);

/// An answer in words: {"problem": "…"}.
Answer refusal(int status, std::string_view problem);

}  // namespace epwise::explore
