// Texts of any bytes: marks stay inside, and suggestions end in time.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/text/source_file.h"
#include "base/text/spelling.h"
#include "base/units/quantity.h"
#include "base/units/version.h"
#include "support/fuzz_target.h"

FUZZ_TARGET(text) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const epwise::text::SourceFile file("fuzz", bytes);
  const std::size_t step = 1 + file.bytes().size() / 256;
  for (std::size_t offset = 0; offset <= file.bytes().size(); offset += step) {
    const auto position = file.position(offset);
    const auto begin = file.line_offset(position.line);
    if (begin > offset || position.column < 1 ||
        static_cast<std::size_t>(position.column) > offset - begin + 1) {
      std::abort();
    }
  }
  for (const auto text : {std::string_view(bytes), file.line(1)}) {
    static_cast<void>(epwise::text::nearest(text, {"num_layers", "moe_router_topk"}));
    static_cast<void>(epwise::units::parse_quantity(text));
    const auto version = epwise::units::Version::parse(text);
    if (version && *version != *version) {
      std::abort();
    }
  }
  return 0;
}
