#include "ui/standard_input.h"

#include <istream>
#include <iterator>
#include <ostream>

#include <fmt/format.h>

#include "base/os/files.h"

namespace epwise::cli {

std::string read_standard_input(const Arguments& arguments, Console& console) {
  if (console.terminal.in) {
    if (arguments.flag("--no-input")) {
      throw os::UsageError("`-` would read the recipe from the terminal, which --no-input forbids");
    }
    console.err << "epwise: reading the recipe from the terminal; end with Ctrl-D\n";
  }
  return read_all(console.in);
}

std::string read_all(std::istream& in) {
  if (in.eof()) {
    throw os::UsageError("standard input can be read only once: give one `-`");
  }
  try {
    std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    in.setstate(std::ios_base::eofbit);
    return text;
  } catch (const std::ios_base::failure& failure) {
    throw os::MissingError(fmt::format("cannot read standard input: {}", failure.code().message()));
  }
}

}  // namespace epwise::cli
