#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "ui/json.h"

namespace epwise::audit {

/// A dump that cannot be read, with the reason: "byte 12: …".
class DumpError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Whether a file is a dump of PyTorch's NCCL flight recorder, as the pickle or as the JSON that it
/// writes.
bool is_flight_dump(std::string_view bytes);

/// The contents of a dump. Of a pickle only the opcodes for numbers, texts, lists and mappings are
/// read, which is all that PyTorch writes: nothing can be imported or executed. Throws DumpError.
report::Json read_flight_dump(std::string_view bytes);

}  // namespace epwise::audit
