#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cost/names.h"

namespace epwise::cost {

/// One argument of a question.
struct Parameter {
  enum class Kind : std::uint8_t {
    count,    // a whole number
    number,   // any number
    numbers,  // one number, or one for each group: 512 or 512,1024,96
    flag,     // true or false
    word      // one of `words`, or any when there are none
  };

  std::string_view name;
  Kind kind = Kind::count;
  std::string_view meaning;         // a few words, with the unit
  std::string_view otherwise = {};  // the value when it is not given; empty: it must be given
  double low = 1;
  double high = 1e12;
  std::vector<std::string_view> words = {};
};

/// The arguments of one question, each checked against its parameter.
class Values {
 public:
  /// Takes a value in, or says what is wrong with it; false then.
  bool read(const Parameter& parameter, std::string_view text, std::vector<std::string>& problems);

  /// Values that were read; asking for another is a bug.
  double number(std::string_view name) const { return numbers(name).front(); }

  int count(std::string_view name) const { return static_cast<int>(number(name)); }

  bool flag(std::string_view name) const { return number(name) != 0; }

  const std::vector<double>& numbers(std::string_view name) const;
  const std::string& word(std::string_view name) const;

  template <class T>
  T name(std::string_view parameter) const {
    return parse<T>(word(parameter)).value_or(T{});
  }

 private:
  std::map<std::string, std::vector<double>, std::less<>> numbers_;
  std::map<std::string, std::string, std::less<>> words_;
};

}  // namespace epwise::cost
