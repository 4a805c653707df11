// Dumps of NCCL's flight recorder: the subset of pickle, and JSON.

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "commands/explain/flight_record.h"

namespace epwise::audit {

namespace {

using namespace std::string_literals;

std::string read(const std::string& bytes) {
  try {
    return read_flight_dump(bytes).dump();
  } catch (const DumpError& error) {
    return "refused: "s + error.what();
  }
}

}  // namespace

TEST_CASE("numbers, texts, lists and mappings of a pickle") {
  // pickle.dumps({"a": [1, -2, 300, True, None, 0.5], "b": (2**40,)}, protocol=2), without memory
  CHECK(read("\x80\x02}(X\x01\x00\x00\x00"s
             "a](K\x01J\xfe\xff\xff\xffM\x2c\x01\x88NG\x3f\xe0\x00\x00\x00\x00\x00\x00"s
             "eX\x01\x00\x00\x00"s
             "b\x8a\x06\x00\x00\x00\x00\x00\x01\x85u."s) ==
        R"({"a":[1,-2,300,true,null,0.5],"b":[1099511627776]})");
  CHECK(read("\x80\x04\x95\x07\x00\x00\x00\x00\x00\x00\x00]\x94\x8c\x01x\x94"s
             "a."s) == R"(["x"])");
}

TEST_CASE("a text that is stored once is referred to again") {
  CHECK(read("\x80\x02](X\x02\x00\x00\x00nmq\x01h\x01"s
             "e."s) == R"(["nm","nm"])");
  CHECK(read("\x80\x02]q\x01h\x01."s) ==
        "refused: byte 7: a list or mapping is referred to again, which is not read");
}

TEST_CASE("nothing that makes an object is read") {
  // pickle.dumps(os.system): GLOBAL
  CHECK(read("\x80\x02"s
             "cposix\nsystem\nq\x00."s) ==
        "refused: byte 3: opcode 0x63 is not of a number, a text, a list or a mapping; objects are "
        "not read");
  CHECK(read("\x80\x04\x8c\x02os\x8c\x06system\x93."s).find("opcode 0x93") != std::string::npos);
}

TEST_CASE("broken pickles are refused") {
  CHECK(read("\x80\x02X\xff\xff\xff\xff"s
             "a"s) == "refused: byte 7: the file ends here");
  CHECK(read("\x80\x02"s
             "e."s) == "refused: byte 3: a list ends that has not begun");
  CHECK(read("\x80\x02K\x01K\x02"s
             "s."s) == "refused: byte 7: there is no mapping to set a key of");
  CHECK(read("\x80\x02K\x01K\x02."s) == "refused: byte 7: the pickle ends with an open list");
  CHECK(read("\x80\x02\x8a\x09"s + std::string(9, '\1') + "."s) ==
        "refused: byte 4: a number is larger than 64 bits");
  CHECK(read("\x80\x02"s + std::string(200, '(')).find("nested too deeply") != std::string::npos);
  CHECK(read("\x80\x02"s) == "refused: byte 2: the file ends here");
}

TEST_CASE("what is nested endlessly is refused or not written out") {
  CHECK(read(std::string(200, '[')).find("nested too deeply") != std::string::npos);
  CHECK(read("\x80\x02}]K\x01s."s) == "refused: byte 7: the key of a mapping is a list");
}

TEST_CASE("JSON is read as JSON") {
  CHECK(read(R"({"entries": [], "pg_config": {}})") == R"({"entries":[],"pg_config":{}})");
  CHECK(read("{").starts_with("refused: not JSON"));
}

TEST_CASE("what is a dump") {
  CHECK(is_flight_dump("\x80\x02}."s));
  CHECK(is_flight_dump(R"({"version": "2.5", "pg_config": {}})"));
  CHECK_FALSE(is_flight_dump(R"({"loss": 2})"));
  CHECK_FALSE(is_flight_dump("iteration 1"));
  CHECK_FALSE(is_flight_dump(""));
}

}  // namespace epwise::audit
