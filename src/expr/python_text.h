#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "expr/value.h"

/// Texts as Python reads and writes them, because rules quote what a Python program would say.
namespace epwise::expr {

/// `str(value)`: "None", "True", "8", "0.5", "1e-05", "[1, 'a']". The value must be known.
std::string python_text(const Value& value);

/// A number as Python prints it: "8", "8.0", "1e+16", "inf", "nan"; booleans as "True" and "False".
std::string number_text(const Value& number);

/// What `int(text)` gives: blanks around, a sign and single underscores between digits are
/// accepted. More than 64 bits give a real; nullopt where Python raises.
std::optional<Value> python_int(std::string_view text);

/// `text.strip()`: ASCII blanks are cut off both ends.
std::string_view stripped(std::string_view text);

/// The value's type in the words of a Python message: "None", "bool", "int", "float", "str", …
std::string_view type_word(const Value& value);

}  // namespace epwise::expr
