#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "expr/value.h"

/// Texts as Python reads and writes them, because rules quote Python's messages.
namespace epwise::expr {

/// `str(value)`: "None", "True", "8", "0.5", "1e-05", "[1, 'a']". The value must be known.
std::string python_text(const Value& value);

/// A number in Python's format: "8", "8.0", "1e+16", "inf", "nan"; booleans as "True" and "False".
std::string number_text(const Value& number);

/// The result of `int(text)`: accepts surrounding blanks, a sign and single underscores between
/// digits. Values beyond 64 bits give a real; nullopt if Python raises.
std::optional<Value> python_int(std::string_view text);

/// `text.strip()`: removes ASCII blanks from both ends.
std::string_view stripped(std::string_view text);

/// The value's type as named in Python messages: "None", "bool", "int", "float", "str", …
std::string_view type_word(const Value& value);

}  // namespace epwise::expr
