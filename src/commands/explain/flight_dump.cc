#include <bit>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "commands/explain/flight_record.h"

namespace epwise::audit {

namespace {

using report::Json;

constexpr char kProtocol = '\x80';

/// Pickle's stack machine, without the opcodes that make objects.
class PickleReader {
 public:
  explicit PickleReader(std::string_view bytes) : bytes_(bytes) {}

  Json run() {
    for (;;) {
      const char opcode = take(1).front();
      if (opcode == '.') {
        if (stack_.size() != 1 || !marks_.empty()) {
          fail("the pickle ends with an open list");
        }
        return std::move(stack_.front());
      }
      if (!(number(opcode) || text(opcode) || container(opcode) || memory(opcode))) {
        fail(
            fmt::format("opcode 0x{:02x} is not of a number, a text, a list or a mapping; objects "
                        "are not read",
                        static_cast<unsigned char>(opcode)));
      }
    }
  }

 private:
  static constexpr std::size_t kDeepest = 100;

  [[noreturn]] void fail(const std::string& why) const {
    throw DumpError(fmt::format("byte {}: {}", at_, why));
  }

  std::string_view take(std::size_t count) {
    if (count > bytes_.size() - at_) {
      fail("the file ends here");
    }
    const auto taken = bytes_.substr(at_, count);
    at_ += count;
    return taken;
  }

  std::uint64_t little_endian(std::size_t width) {
    std::uint64_t value = 0;
    const auto digits = take(width);
    for (std::size_t i = 0; i < width; ++i) {
      value |= std::uint64_t{static_cast<unsigned char>(digits[i])} << (8 * i);
    }
    return value;
  }

  std::int64_t signed_number(std::size_t width) {
    if (width == 0) {
      return 0;
    }
    if (width > sizeof(std::int64_t)) {
      fail("a number is larger than 64 bits");
    }
    const std::size_t unused = 64 - 8 * width;
    return static_cast<std::int64_t>(little_endian(width) << unused) >> unused;
  }

  double real() {
    std::uint64_t bits = 0;
    for (const char digit : take(sizeof(double))) {
      bits = bits << 8 | static_cast<unsigned char>(digit);
    }
    return std::bit_cast<double>(bits);
  }

  void push(Json value) { stack_.push_back(std::move(value)); }

  bool number(char opcode) {
    switch (opcode) {
      case 'N':
        push(nullptr);
        return true;
      case '\x88':
      case '\x89':
        push(opcode == '\x88');
        return true;
      case 'K':
        push(little_endian(1));
        return true;
      case 'M':
        push(little_endian(2));
        return true;
      case 'J':
        push(signed_number(4));
        return true;
      case '\x8a':
        push(signed_number(little_endian(1)));
        return true;
      case 'G':
        push(real());
        return true;
      default:
        return false;
    }
  }

  bool text(char opcode) {
    switch (opcode) {
      case 'U':
      case '\x8c':
        push(std::string(take(little_endian(1))));
        return true;
      case 'T':
      case 'X':
        push(std::string(take(little_endian(4))));
        return true;
      case '\x8d':
        push(std::string(take(little_endian(8))));
        return true;
      case kProtocol:
        take(1);
        return true;
      case '\x95':  // the length of a frame
        take(8);
        return true;
      default:
        return false;
    }
  }

  bool container(char opcode) {
    switch (opcode) {
      case '(':
        if (marks_.size() == kDeepest) {
          fail("lists are nested too deeply");
        }
        marks_.push_back(stack_.size());
        return true;
      case '}':
        push(Json::object());
        return true;
      case ']':
      case ')':
        push(Json::array());
        return true;
      case 'a':
        append(above(1));
        return true;
      case 'e':
        append(above_mark());
        return true;
      case 's':
        set(above(2));
        return true;
      case 'u':
        set(above_mark());
        return true;
      case 't':
        push(above_mark());
        return true;
      case '\x85':
      case '\x86':
      case '\x87':
        push(above(static_cast<std::size_t>(opcode - '\x84')));
        return true;
      default:
        return false;
    }
  }

  /// Texts are stored once; PyTorch refers to nothing else again.
  bool memory(char opcode) {
    switch (opcode) {
      case 'q':
        remember(little_endian(1));
        return true;
      case 'r':
        remember(little_endian(4));
        return true;
      case '\x94':
        remember(remembered_++);
        return true;
      case 'h':
        recall(little_endian(1));
        return true;
      case 'j':
        recall(little_endian(4));
        return true;
      default:
        return false;
    }
  }

  void remember(std::uint64_t name) {
    if (!stack_.empty() && stack_.back().is_primitive()) {
      memory_.insert_or_assign(name, stack_.back());
    }
  }

  void recall(std::uint64_t name) {
    const auto found = memory_.find(name);
    if (found == memory_.end()) {
      fail("a list or mapping is referred to again, which is not read");
    }
    push(found->second);
  }

  Json above_mark() {
    if (marks_.empty() || marks_.back() > stack_.size()) {
      fail("a list ends that has not begun");
    }
    const std::size_t count = stack_.size() - marks_.back();
    marks_.pop_back();
    return above(count);
  }

  Json above(std::size_t count) {
    if (count > stack_.size() || (!marks_.empty() && stack_.size() - count < marks_.back())) {
      fail("a value is missing");
    }
    Json taken = Json::array();
    for (std::size_t i = stack_.size() - count; i < stack_.size(); ++i) {
      taken.push_back(std::move(stack_[i]));
    }
    stack_.resize(stack_.size() - count);
    return taken;
  }

  void append(Json items) {
    if (stack_.empty() || !stack_.back().is_array()) {
      fail("there is no list to append to");
    }
    for (Json& item : items) {
      stack_.back().push_back(std::move(item));
    }
  }

  void set(Json items) {
    if (stack_.empty() || !stack_.back().is_object() || items.size() % 2 != 0) {
      fail("there is no mapping to set a key of");
    }
    auto& pairs = stack_.back().get_ref<Json::object_t&>();
    for (std::size_t i = 0; i < items.size(); i += 2) {
      const Json& key = items[i];
      if (!key.is_primitive()) {
        fail("the key of a mapping is a list");
      }
      std::string name = key.is_string() ? key.get<std::string>() : report::json_line(key);
      pairs.emplace_back(std::move(name), std::move(items[i + 1]));  // keys of a pickle differ
    }
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::vector<Json> stack_;
  std::vector<std::size_t> marks_;
  std::map<std::uint64_t, Json> memory_;
  std::uint64_t remembered_ = 0;
};

}  // namespace

bool is_flight_dump(std::string_view bytes) {
  if (bytes.size() > 2 && bytes[0] == kProtocol && bytes[1] >= 2 && bytes[1] <= 5) {
    return true;
  }
  const auto start = bytes.find_first_not_of(" \t\r\n");
  return start != std::string_view::npos && bytes[start] == '{' &&
         bytes.find("\"pg_config\"") != std::string_view::npos;
}

report::Json read_flight_dump(std::string_view bytes) {
  if (!bytes.empty() && bytes[0] == kProtocol) {
    return PickleReader(bytes).run();
  }
  constexpr int kDeepest = 100;
  const auto limited = [](int depth, Json::parse_event_t /*event*/, Json& /*parsed*/) {
    if (depth > kDeepest) {
      throw DumpError("not a dump: lists are nested too deeply");
    }
    return true;
  };
  try {
    return Json::parse(bytes, limited);
  } catch (const Json::exception& error) {
    throw DumpError(fmt::format("not JSON: {}", error.what()));
  }
}

}  // namespace epwise::audit
