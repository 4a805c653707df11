#include "expr/archive.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace epwise::expr {

namespace {

template <class T>
T through_bytes(T value) {
  embedded::Writer writer;
  writer(value);
  embedded::Reader reader(writer.bytes());
  T result;
  reader(result);
  CHECK(reader.at_end());
  return result;
}

}  // namespace

TEST_CASE("every kind of value survives the archive") {
  const std::vector<Value> values = {
      Value::unset(),
      Value::of(true),
      Value::of(std::int64_t{-9223372036854775807}),
      Value::of(0.1),
      Value::of("text with \n and \"quotes\""),
      Value::of(*units::Version::parse("2.6.0a0+ecf3bae")),
      Value::of(*units::Version::parse("head")),
      Value::of(Value::List{Value::of(1), Value::of(Value::List{Value::of("a")}), Value::unset()}),
      Value::unknown({"stack.te", "gpus"}),
      Value::crash("TypeError: no"),
  };
  for (const Value& value : values) {
    CAPTURE(value.to_text());
    CHECK(through_bytes(value) == value);
  }
  CHECK(through_bytes(values[5]).version()->text() == "2.6.0a0+ecf3bae");
}

TEST_CASE("an expression survives the archive") {
  Names names;
  const Parsed parsed =
      parse("a.b in [1, null] && x.exists(y, y < v\"2.7\") ? 16 GiB : written(c.d)", names);
  REQUIRE(parsed.problems.empty());
  const Expression copy = through_bytes(parsed.expression);
  CHECK(to_text(copy, names) == to_text(parsed.expression, names));
  CHECK(copy.constants == parsed.expression.constants);
  CHECK(copy.names() == parsed.expression.names());
  CHECK(copy.nodes.back().end == parsed.expression.nodes.back().end);
}

TEST_CASE("damaged bytes are refused") {
  embedded::Writer writer;
  Value value = Value::of("something");
  writer(value);
  const std::string bytes = writer.bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    embedded::Reader reader(std::string_view(bytes).substr(0, size));
    Value read;
    CHECK_THROWS(reader(read));
  }
  std::string odd = bytes;
  odd[0] = 77;
  embedded::Reader reader(odd);
  Value read;
  CHECK_THROWS(reader(read));
}

}  // namespace epwise::expr
