#include "expr/archive.h"

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "unit/expr/same_tree.h"

namespace epwise::expr {

namespace {

/// What is read may point into the bytes.
std::string_view kept(std::string bytes) {
  static std::deque<std::string> all;
  return all.emplace_back(std::move(bytes));
}

template <class T>
T through_bytes(T value) {
  ConstantTable literals;
  embedded::Writer writer(&literals);
  writer(value);
  embedded::Reader reader(kept(writer.bytes()), &literals);
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
  CHECK(same_tree(copy, parsed.expression));
  CHECK(copy.names() == parsed.expression.names());
  CHECK(copy.nodes.back().end == parsed.expression.nodes.back().end);
}

TEST_CASE("expressions of one table share their literals") {
  Names names;
  Expression one = parse("a == 'alltoall' && b > 8", names).expression;
  Expression two = parse("c in ['flex', 'alltoall'] || section('alltoall')", names).expression;
  ConstantTable table;
  embedded::Writer writer(&table);
  writer(one, two);
  CHECK(table.all->size() == 3);  // alltoall, 8, flex
  for (const std::size_t shift :
       {std::size_t{0}, std::size_t{1}}) {  // bytes that lie anywhere are read too
    const std::string_view bytes = kept(std::string(shift, ' ') + writer.bytes());
    embedded::Reader reader(bytes.substr(shift), &table);
    Expression first;
    Expression second;
    reader(first, second);
    CHECK(same_tree(first, one));
    CHECK(same_tree(second, two));
    CHECK(first.constants == second.constants);
    CHECK(to_text(second, names) == to_text(two, names));
    CHECK(second.literals().size() == 3);
  }
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
