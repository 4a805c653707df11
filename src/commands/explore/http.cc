#include "commands/explore/http.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "ui/json.h"

namespace epwise::explore {

namespace {

struct Field {
  std::string name;  // in small letters
  std::string_view value;
};

using Fields = std::vector<Field>;

Arrival wrong(int status) {
  Arrival arrival;
  arrival.kind = Arrival::Kind::wrong;
  arrival.status = status;
  return arrival;
}

/// The lines of a head after its first, or nullopt if one is not NAME: VALUE.
std::optional<Fields> fields_of(std::string_view lines) {
  constexpr std::size_t kMost = 100;
  Fields fields;
  while (!lines.empty()) {
    const std::size_t end = lines.find("\r\n");
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 2);
    const std::size_t colon = line.find(':');
    const bool named = colon != std::string_view::npos && colon > 0 &&
                       line.substr(0, colon).find_first_of(" \t\r\n") == std::string_view::npos;
    if (!named || fields.size() == kMost) {
      return std::nullopt;
    }
    fields.push_back(
        {text::lower(line.substr(0, colon)), text::trimmed(line.substr(colon + 1), text::kBlanks)});
  }
  return fields;
}

std::size_t count(const Fields& fields, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::count(fields, name, &Field::name));
}

std::string_view value_of(const Fields& fields, std::string_view name) {
  const auto found = std::ranges::find(fields, name, &Field::name);
  return found == fields.end() ? std::string_view() : found->value;
}

/// "token=ab&x=1" → "ab"
std::string_view token_in(std::string_view query) {
  constexpr std::string_view kName = "token=";
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view part = query.substr(0, end);
    if (part.starts_with(kName)) {
      return part.substr(kName.size());
    }
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return {};
}

/// "GET /path?query HTTP/1.1"
bool read_first_line(std::string_view line, Request& request) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last || first == 0) {
    return false;
  }
  const std::string_view version = line.substr(last + 1);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const bool plain = std::ranges::all_of(target, [](char c) { return c > ' ' && c <= '~'; });
  if (!target.starts_with('/') || !plain || (version != "HTTP/1.1" && version != "HTTP/1.0")) {
    return false;
  }
  const std::size_t mark = target.find('?');
  request.method = line.substr(0, first);
  request.path = target.substr(0, mark);
  request.token = mark == std::string_view::npos ? "" : token_in(target.substr(mark + 1));
  request.keep = version == "HTTP/1.1";
  return true;
}

/// The size of the body; nullopt with a status if it is unknown or too large.
std::optional<std::size_t> body_size(const Fields& fields, int& status) {
  if (count(fields, "transfer-encoding") > 0) {
    status = 501;
    return std::nullopt;
  }
  const std::string_view length = value_of(fields, "content-length");
  if (count(fields, "content-length") == 0) {
    return 0;
  }
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), size);
  if (error == std::errc::result_out_of_range) {
    status = 413;
    return std::nullopt;
  }
  const bool number = error == std::errc() && end == length.data() + length.size();
  if (!number || count(fields, "content-length") > 1) {
    status = 400;
    return std::nullopt;
  }
  if (size > kLargestBody) {
    status = 413;
    return std::nullopt;
  }
  return size;
}

std::string_view reason_of(int status) {
  constexpr std::array<std::pair<int, std::string_view>, 10> kReasons = {
      {{200, "OK"},
       {400, "Bad Request"},
       {403, "Forbidden"},
       {404, "Not Found"},
       {405, "Method Not Allowed"},
       {413, "Content Too Large"},
       {415, "Unsupported Media Type"},
       {431, "Request Header Fields Too Large"},
       {500, "Internal Server Error"},
       {501, "Not Implemented"}}};
  const auto* const found =
      std::ranges::find(kReasons, status, &std::pair<int, std::string_view>::first);
  return found == kReasons.end() ? "Error" : found->second;
}

}  // namespace

Arrival read_request(std::string_view bytes) {
  const std::size_t head = bytes.substr(0, kLargestHead).find("\r\n\r\n");
  if (head == std::string_view::npos) {
    return bytes.size() >= kLargestHead ? wrong(431) : Arrival();
  }
  const std::size_t first = bytes.find("\r\n");
  Arrival arrival;
  Request& request = arrival.request;
  if (!read_first_line(bytes.substr(0, first), request)) {
    return wrong(400);
  }
  const std::string_view lines =
      first == head ? std::string_view() : bytes.substr(first + 2, head - first - 2);
  const std::optional<Fields> fields = fields_of(lines);
  if (!fields || count(*fields, "host") > 1 || count(*fields, "origin") > 1) {
    return wrong(400);
  }
  int status = 0;
  const std::optional<std::size_t> size = body_size(*fields, status);
  if (!size) {
    return wrong(status);
  }
  constexpr std::size_t kBlankLine = 4;
  if (bytes.size() - head - kBlankLine < *size) {
    return arrival;
  }
  request.host = value_of(*fields, "host");
  request.origin = value_of(*fields, "origin");
  request.type = value_of(*fields, "content-type");
  if (count(*fields, "x-epwise-token") > 0) {
    request.token = value_of(*fields, "x-epwise-token");
  }
  request.keep = request.keep && text::lower(value_of(*fields, "connection")) != "close";
  request.body = bytes.substr(head + kBlankLine, *size);
  arrival.size = head + kBlankLine + *size;
  arrival.kind = Arrival::Kind::request;
  return arrival;
}

std::string bytes_of(const Answer& answer, bool keep, double milliseconds) {
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}; charset=utf-8\r\nContent-Length: {}\r\n"
      "Connection: {}\r\nServer-Timing: answer;dur={:.1f}\r\nCache-Control: no-store\r\n"
      "Content-Security-Policy: {}\r\nCross-Origin-Resource-Policy: same-origin\r\n"
      "Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n"
      "X-Frame-Options: DENY\r\n\r\n{}",
      answer.status,
      reason_of(answer.status),
      answer.type,
      answer.body.size(),
      keep ? "keep-alive" : "close",
      milliseconds,
      answer.policy.empty() ? "default-src 'none'" : answer.policy,
      answer.body);
}

Answer refusal(int status, std::string_view problem) {
  Answer answer;
  answer.status = status;
  answer.body = report::json_line({{"problem", std::string(problem)}});
  return answer;
}

}  // namespace epwise::explore
