#include <string>

#include <doctest/doctest.h>

#include "recipe/overrides/scalar_types.h"

namespace epwise::recipe {
namespace {

using expr::Value;

std::vector<text::Diagnostic> check(Value value, std::vector<std::string_view> choices) {
  FieldSpec spec;
  spec.choices = std::move(choices);
  return check_words({{"model.x", &spec, std::move(value), true, "", {}}}, "0.6.2");
}

TEST_CASE("a word that its field does not know is reported with those that it knows") {
  const auto found = check(Value::of("sigmoi"), {"softmax", "sigmoid", "sqrtsoftplus"});
  REQUIRE(found.size() == 1);
  CHECK(found.front().message ==
        "`model.x` is `sigmoi`, but Megatron-Bridge 0.6.2 knows only softmax, sigmoid and "
        "sqrtsoftplus, did you mean `sigmoid`?");
}

TEST_CASE("numbers are compared by their text, lists entry by entry") {
  CHECK(check(Value::of(std::int64_t{2}), {"0", "1", "2"}).empty());
  CHECK(check(Value::of(std::int64_t{3}), {"0", "1", "2"}).size() == 1);
  const Value list = Value::of(Value::List{Value::of("full"), Value::of("selektive")});
  CHECK(unknown_word(list, {"full", "selective"}) == "selektive");
}

TEST_CASE("no word is known to be wrong of a field that takes any, and of what is no word") {
  CHECK(check(Value::of("anything"), {}).empty());
  CHECK(check(Value::unset(), {"full"}).empty());
  CHECK(check(Value::of(true), {"full"}).empty());
  CHECK(check(Value::unknown({"X"}), {"full"}).empty());
}

}  // namespace
}  // namespace epwise::recipe
