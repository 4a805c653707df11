#include <string>

#include <doctest/doctest.h>

#include "commands/explore/answers.h"
#include "commands/explore/http.h"

namespace epwise::explore {
namespace {

const std::string kGet = "GET /a?x=1&token=ab HTTP/1.1\r\nHost: localhost:80\r\n\r\n";

std::string posted(const std::string& length, const std::string& body) {
  return "POST /api/look HTTP/1.1\r\nhost:127.0.0.1:1\r\nContent-Length: " + length + "\r\n\r\n" +
         body;
}

int status_of(const std::string& bytes) {
  const Arrival arrival = read_request(bytes);
  return arrival.kind == Arrival::Kind::wrong ? arrival.status : 0;
}

TEST_CASE("a request is read with path, token and host") {
  const Arrival arrival = read_request(kGet);
  REQUIRE(arrival.kind == Arrival::Kind::request);
  CHECK(arrival.size == kGet.size());
  CHECK(arrival.request.method == "GET");
  CHECK(arrival.request.path == "/a");
  CHECK(arrival.request.token == "ab");
  CHECK(arrival.request.host == "localhost:80");
  CHECK(arrival.request.keep);
}

TEST_CASE("a body of the stated length belongs to the request, what follows does not") {
  const Arrival arrival = read_request(posted("3", "abcGET"));
  REQUIRE(arrival.kind == Arrival::Kind::request);
  CHECK(arrival.request.body == "abc");
  CHECK(arrival.size == posted("3", "abc").size());
}

TEST_CASE("every beginning of a request is incomplete") {
  const std::string whole = posted("3", "abc");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CHECK(read_request(whole.substr(0, size)).kind == Arrival::Kind::incomplete);
  }
}

TEST_CASE("the token of the header counts more than that of the query") {
  const Arrival arrival =
      read_request("GET /?token=a HTTP/1.1\r\nHost: h\r\nX-Epwise-Token: b\r\n\r\n");
  CHECK(arrival.request.token == "b");
}

TEST_CASE("what is not HTTP, or more of it than the page needs, has a status") {
  CHECK(status_of("hello\r\n\r\n") == 400);
  CHECK(status_of("GET  HTTP/1.1\r\n\r\n") == 400);
  CHECK(status_of("GET http://other/ HTTP/1.1\r\n\r\n") == 400);
  CHECK(status_of("GET / HTTP/2\r\n\r\n") == 400);
  CHECK(status_of("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n") == 400);
  CHECK(status_of("GET / HTTP/1.1\r\n folded\r\n\r\n") == 400);
  CHECK(status_of(posted("-1", "")) == 400);
  CHECK(status_of(posted("3\r\nContent-Length: 3", "abc")) == 400);
  CHECK(status_of(posted("99999999", "")) == 413);
  CHECK(status_of(posted("99999999999999999999999", "")) == 413);
  CHECK(status_of("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n") == 501);
  CHECK(status_of("GET / HTTP/1.1\r\nA: " + std::string(kLargestHead, 'a')) == 431);
}

TEST_CASE("an answer closes the connection where it must, and may not be kept or framed") {
  const std::string bytes = bytes_of(refusal(403, "no \"token\""), false, 1.25);
  CHECK(bytes.starts_with("HTTP/1.1 403 Forbidden\r\n"));
  CHECK(bytes.find("Connection: close\r\n") != std::string::npos);
  CHECK(bytes.find("default-src 'none'\r\n") != std::string::npos);
  CHECK(bytes.find("X-Frame-Options: DENY\r\n") != std::string::npos);
  CHECK(bytes.ends_with("\r\n\r\n{\"problem\":\"no \\\"token\\\"\"}"));
}

Request request_to(const std::string& host, const std::string& origin, const std::string& token) {
  Request request;
  request.host = host;
  request.origin = origin;
  request.token = token;
  return request;
}

TEST_CASE("only this machine, the page itself and the token are let in") {
  const auto refused = [](const char* host, const char* origin, const char* token) {
    return !refused_because(request_to(host, origin, token), "t0k").empty();
  };
  CHECK_FALSE(refused("127.0.0.1:8000", "", "t0k"));
  CHECK_FALSE(refused("localhost:9000", "http://localhost:9000", "t0k"));  // through a tunnel
  CHECK_FALSE(refused("[::1]:9000", "", "t0k"));
  CHECK(refused("127.0.0.1:8000", "", ""));
  CHECK(refused("127.0.0.1:8000", "", "t0"));
  CHECK(refused("127.0.0.1:8000", "", "t0kk"));
  CHECK(refused("", "", "t0k"));
  CHECK(refused("evil.example:8000", "", "t0k"));  // DNS rebinding
  CHECK(refused("127.0.0.1.evil.example", "", "t0k"));
  CHECK(refused("localhost:80:evil", "", "t0k"));
  CHECK(refused("127.0.0.1:8000", "http://evil.example", "t0k"));
  CHECK(refused("127.0.0.1:8000", "http://127.0.0.1:8001", "t0k"));
  CHECK(refused("127.0.0.1:8000", "https://127.0.0.1:8000", "t0k"));
  CHECK(refused("127.0.0.1:8000", "null", "t0k"));
}

}  // namespace
}  // namespace epwise::explore
